#include <cmath>
#include <limits>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/testing.h"

namespace hone {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();

Tensor f32(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of<float>(shape, values);
}

TEST(Arithmetic, IntegersWrap) {
  expect_tensor<int32_t>(run_op("sub", {vector_of<int32_t>({kLowest}), vector_of<int32_t>({1})}),
                         {1}, {std::numeric_limits<int32_t>::max()});
  expect_tensor<uint16_t>(
      run_op("mul", {vector_of<uint16_t>({65535}), vector_of<uint16_t>({65535})}), {1}, {1});
  expect_tensor<int32_t>(run_op("abs", {vector_of<int32_t>({kLowest, -3})}), {2}, {kLowest, 3});
  expect_tensor<int32_t>(run_op("neg", {vector_of<int32_t>({kLowest, 3})}), {2}, {kLowest, -3});
}

TEST(Arithmetic, DividingTheLowestIntegerByMinusOneIsDefined) {
  const std::vector<Tensor> inputs = {vector_of<int32_t>({kLowest, -7}),
                                      vector_of<int32_t>({-1, 2})};
  expect_tensor<int32_t>(run_op("div", inputs), {2}, {kLowest, -3});
  expect_tensor<int32_t>(run_op("mod", inputs), {2}, {0, 1});
  expect_tensor<int32_t>(run_op("mod", inputs, {{"fmod", int64_t{1}}}), {2}, {0, -1});
}

TEST(Arithmetic, DividingAnIntegerByZeroIsRefused) {
  const std::vector<Tensor> inputs = {vector_of<int8_t>({1}), vector_of<int8_t>({0})};
  expect_bad_input(run_op("div", inputs));
  expect_bad_input(run_op("mod", inputs));
  expect_tensor<int8_t>(run_op("div", {Tensor::of<int8_t>({0}, {}), Tensor::scalar(int8_t{0})}),
                        {0}, {});
}

TEST(Arithmetic, ActivationIsAppliedToFloatsAndRefusedElsewhere) {
  const Attrs relu6 = {{"activation", std::string("relu6")}};
  expect_tensor<float>(run_op("add", {vector_of<float>({-5, 5}), vector_of<float>({1, 4})}, relu6),
                       {2}, {0, 6});
  expect_unsupported(run_op("add", {vector_of<int32_t>({1}), vector_of<int32_t>({1})}, relu6));
  expect_unsupported(run_op("add", {vector_of<float>({1}), vector_of<float>({1})},
                            {{"activation", std::string("softmax")}}));
}

TEST(Arithmetic, OperandsThatDoNotBroadcastAreRefused) {
  expect_bad_input(run_op("add", {vector_of<float>({1, 2}), vector_of<float>({1, 2, 3})}));
}

TEST(OldBroadcast, AxisSaysWhereTheRightOperandStarts) {
  const Tensor a = f32({2, 3, 2}, std::vector<float>(12, 1));
  const Attrs attrs = {{"broadcast", int64_t{1}}, {"axis", int64_t{1}}};
  expect_tensor<float>(run_onnx("Add", 6, {a, vector_of<float>({1, 2, 3})}, attrs), {2, 3, 2},
                       {2, 2, 3, 3, 4, 4, 2, 2, 3, 3, 4, 4});
  const Attrs from_back = {{"broadcast", int64_t{1}}, {"axis", int64_t{-2}}};
  expect_tensor<float>(run_onnx("Mul", 6, {a, vector_of<float>({1, 2, 3})}, from_back), {2, 3, 2},
                       {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
}

TEST(OldBroadcast, AnAxisOutsideIsRefused) {
  const std::vector<Tensor> inputs = {f32({2, 2}, {1, 2, 3, 4}), vector_of<float>({1, 2})};
  for (const int64_t axis : {2L, 7L, -3L, std::numeric_limits<int64_t>::min() + 1}) {
    expect_bad_input(run_onnx("Add", 6, inputs, {{"broadcast", int64_t{1}}, {"axis", axis}}));
  }
}

TEST(OldVersions, ConsumedInputsAreDropped) {
  expect_tensor<float>(
      run_onnx("Relu", 1, {vector_of<float>({-1, 2})}, {{"consumed_inputs", Ints{0}}}), {2},
      {0, 2});
  expect_unsupported(run_onnx("Relu", 6, {vector_of<float>({1})}, {{"consumed_inputs", Ints{0}}}));
}

TEST(Shrink, OfNaNIsZero) {
  expect_tensor<float>(
      run_op("shrink", {vector_of<float>({-2, -0.5f, NAN, 0.25f, INFINITY})}, {{"bias", 0.5}}), {5},
      {-1.5f, 0, 0, 0, INFINITY});
}

TEST(Clip, BoundsOfOldVersionsTakeTheTypeOfTheInput) {
  const Attrs bounds = {{"min", -1.0}, {"max", 2.0}};
  expect_tensor<float>(run_onnx("Clip", 6, {vector_of<float>({-3, 1, 3})}, bounds), {3},
                       {-1, 1, 2});
  expect_tensor<double>(run_onnx("Clip", 6, {vector_of<double>({-3, 1, 3})}, bounds), {3},
                        {-1, 1, 2});
}

TEST(Clip, HighWinsOverLow) {
  expect_tensor<int8_t>(run_op("clip", {vector_of<int8_t>({0, 9}), Tensor::scalar(int8_t{5}),
                                        Tensor::scalar(int8_t{2})}),
                        {2}, {2, 2});
  expect_bad_input(run_op("clip", {vector_of<float>({0}), vector_of<float>({1, 2})}));
}

TEST(Relu, KeepsNan) {
  const auto result = run_op("relu", {vector_of<float>({kNan, -1})});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(std::isnan(result->data<float>()[0]));
  EXPECT_EQ(result->data<float>()[1], 0);
}

TEST(Sigmoid, DoesNotOverflow) {
  expect_tensor<float>(run_op("sigmoid", {vector_of<float>({-kInf, -1000, 0, 1000, kInf})}), {5},
                       {0, 0, 0.5f, 1, 1});
}

TEST(Gelu, ComesInFourFormsFromOnnxRuntime) {
  const Tensor x = vector_of<float>({1, -2});
  const Tensor bias = vector_of<float>({1, 4});
  const Tensor sum = vector_of<float>({2, 2});
  const auto values = [](const Result<Tensor>& y) {
    EXPECT_TRUE(y.ok()) << y.error().message;
    return y.ok() ? std::vector<float>(y->data<float>().begin(), y->data<float>().end())
                  : std::vector<float>();
  };
  EXPECT_EQ(values(run_ort("Gelu", {x})), values(run_op("gelu", {x})));
  EXPECT_EQ(values(run_ort("BiasGelu", {x, bias})), values(run_op("gelu", {sum})));
  EXPECT_EQ(values(run_ort("FastGelu", {x, bias})),
            values(run_op("gelu", {sum}, {{"approximate", std::string("tanh")}})));
  const auto quick = values(run_ort("QuickGelu", {x}));
  EXPECT_NEAR(quick[0], 1 / (1 + std::exp(-1.702)), 1e-6);
  EXPECT_NEAR(quick[1], -2 / (1 + std::exp(2 * 1.702)), 1e-6);
}

TEST(Atan2, TellsTheQuadrants) {
  const auto angles =
      run_op("atan2", {vector_of<float>({1, 1, -1, 0}), vector_of<float>({1, -1, 1, -1})});
  ASSERT_TRUE(angles.ok()) << angles.error().message;
  const double quarter = 0.78539816339744831;
  for (size_t i = 0; i < 4; ++i) {
    const double wanted[] = {quarter, 3 * quarter, -quarter, 4 * quarter};
    EXPECT_NEAR(angles->data<float>()[i], wanted[i], 1e-6);
  }
}

TEST(PRelu, TheSlopesExtentsMayBeOpen) {
  const TensorType x{DType::F32, {1, 3, 1}};
  const auto y = infer_op("prelu", {x, TensorType{DType::F32, {kUnknown}}});
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_EQ(y->shape, x.shape);
  expect_bad_input(infer_op("prelu", {x, TensorType{DType::F32, {2}}}));
  expect_bad_input(infer_op("prelu", {x, TensorType{DType::F32, {1, 1, 1, kUnknown}}}));
}

TEST(PRelu, OldSlopesAreOnePerChannel) {
  const Tensor x = f32({1, 2, 1, 2}, {-1, -2, -3, 4});
  expect_tensor<float>(run_onnx("PRelu", 6, {x, vector_of<float>({2, 10})}), {1, 2, 1, 2},
                       {-2, -4, -30, 4});
  expect_tensor<float>(run_onnx("PRelu", 6, {x, vector_of<float>({2})}), {1, 2, 1, 2},
                       {-2, -4, -6, 4});
  expect_bad_input(run_op("prelu", {vector_of<float>({1}), f32({2, 1}, {1, 2})}));
}

TEST(Pow, IntegerPowersAreExact) {
  const Tensor base = vector_of<int64_t>({3, -1, 2, 1, 7});
  expect_tensor<int64_t>(run_op("pow", {base, vector_of<int64_t>({39, -3, -1, -5, 0})}), {5},
                         {4052555153018976267, -1, 0, 1, 1});
  expect_bad_input(run_op("pow", {vector_of<int32_t>({0}), vector_of<int32_t>({-1})}));
  expect_tensor<int32_t>(run_op("pow", {vector_of<int32_t>({10}), vector_of<float>({40})}), {1},
                         {std::numeric_limits<int32_t>::max()});
}

TEST(BitShift, ShiftingByTheWidthOrMoreLeavesNothing) {
  const std::vector<Tensor> inputs = {vector_of<uint8_t>({255, 255, 255}),
                                      vector_of<uint8_t>({1, 8, 200})};
  expect_tensor<uint8_t>(run_op("bit_shift", inputs, {{"direction", std::string("LEFT")}}), {3},
                         {254, 0, 0});
  expect_bad_input(run_op("bit_shift", inputs, {{"direction", std::string("UP")}}));
}

TEST(Mod, FloatsNeedFmod) {
  expect_bad_input(run_op("mod", {vector_of<float>({1}), vector_of<float>({1})}));
}

TEST(Max, NanWinsFromEitherSide) {
  const auto result = run_op("max", {vector_of<float>({kNan, 1}), vector_of<float>({1, kNan})});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(std::isnan(result->data<float>()[0]));
  EXPECT_TRUE(std::isnan(result->data<float>()[1]));
}

TEST(Where, ChoosesStringsAndBroadcastsAllThree) {
  const Tensor condition = Tensor::of<bool>({2, 1}, {true, false});
  expect_tensor<std::string>(run_op("where", {condition, vector_of<std::string>({"a", "b"}),
                                              Tensor::scalar<std::string>("c")}),
                             {2, 2}, {"a", "b", "c", "c"});
}

TEST(SaturateTo, CoversEveryDouble) {
  EXPECT_EQ(saturate_to<int64_t>(9.3e18), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(saturate_to<int64_t>(-9.3e18), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(saturate_to<uint64_t>(1.9e19), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(saturate_to<uint8_t>(-0.9), 0);
  EXPECT_EQ(saturate_to<uint8_t>(255.9), 255);
  EXPECT_EQ(saturate_to<int8_t>(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace hone
