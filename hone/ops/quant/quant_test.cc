#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

TEST(QuantizeLinear, RoundsTiesToEvenAndSaturates) {
  const Tensor x = vector_of<float>({0.5f, 1.5f, -2.5f, 1000, -1e30f, INFINITY, NAN});
  expect_tensor<int8_t>(
      run_op("quantize_linear", {x, Tensor::scalar(1.0f), Tensor::scalar<int8_t>(1)}), {7},
      {1, 3, -1, 127, -128, 127, 1});
  expect_tensor<uint8_t>(run_op("quantize_linear", {x, Tensor::scalar(1.0f)}), {7},
                         {0, 2, 0, 255, 0, 255, 0});
  expect_tensor<int16_t>(run_op("quantize_linear", {vector_of<float>({4e4f}), Tensor::scalar(1.0f)},
                                {{"output_dtype", DType::I16}}),
                         {1}, {32767});
}

// What the model states is held to it; what a run computes need not be a number above 0.
TEST(QuantizeLinear, RefusesScalesThatCannotDivide) {
  const auto inferred = [](const std::string& scales) {
    auto graph =
        parse_graph(str("graph(%x: f32[2], %q: i8[2]) -> (%a, %b) {\n"
                        "  const %good: f32[2] = {0.5 1e-30}\n"
                        "  const %s: f32[2] = {",
                        scales,
                        "}\n"
                        "  %a = quantize_linear(%x, %s) axis=0 name \"n\"\n"
                        "  %b = dequantize_linear(%q, %good) axis=0\n}"));
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    const auto types = infer_types(*graph);
    return types.ok() ? "" : types.error().message;
  };
  EXPECT_EQ(inferred("1 2"), "");
  EXPECT_EQ(inferred("1 0"),
            "node 'n' (quantize_linear): scale 's' has 0, expected finite numbers above 0");
  EXPECT_EQ(inferred("-0.5 1"),
            "node 'n' (quantize_linear): scale 's' has -0.5, expected finite numbers above 0");
  for (const char* bad : {"nan 1", "inf 1"}) EXPECT_NE(inferred(bad), "") << bad;
  expect_tensor<float>(run_op("dequantize_linear", {vector_of<int8_t>({3}), Tensor::scalar(0.0f)}),
                       {1}, {0});
}

TEST(QuantizeLinear, TakesScalesPerAxisAndPerBlock) {
  const Tensor x = Tensor::of<float>({2, 3}, {2, 4, 6, 8, 10, 12});
  const Attrs axis0{{"axis", int64_t{0}}};
  expect_tensor<uint8_t>(run_op("quantize_linear", {x, vector_of<float>({1, 2})}, axis0), {2, 3},
                         {2, 4, 6, 4, 5, 6});
  const Attrs blocks{{"block_size", int64_t{2}}};
  expect_tensor<uint8_t>(
      run_op("quantize_linear", {x, Tensor::of<float>({2, 2}, {1, 2, 4, 6})}, blocks), {2, 3},
      {2, 4, 3, 2, 2, 2});
  expect_bad_input(run_op("quantize_linear", {x, vector_of<float>({1, 2})}));
  expect_bad_input(run_op("quantize_linear", {x, vector_of<float>({1, 2})}, blocks));
  expect_bad_input(
      run_op("quantize_linear", {x, vector_of<float>({1, 2, 3})}, {{"axis", int64_t{2}}}));
  expect_tensor<uint8_t>(run_op("quantize_linear", {x, Tensor::of<float>({2, 1}, {1, 2})},
                                {{"block_size", INT64_MAX}}),
                         {2, 3}, {2, 4, 6, 4, 5, 6});
}

TEST(QuantizeLinear, PacksFourBits) {
  const auto y = run_op("quantize_linear", {vector_of<float>({-9, 7.5f, 3}), Tensor::scalar(1.0f)},
                        {{"output_dtype", DType::I4}});
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_EQ(unpack_small(*y), (std::vector<int8_t>{-8, 7, 3}));
  expect_tensor<float>(run_op("dequantize_linear", {*y, Tensor::scalar(0.5f)}), {3},
                       {-4, 3.5, 1.5});
}

TEST(QuantizeLinear, SaturatesFloat8OnlyWhenAsked) {
  const Tensor x = vector_of<float>({1000, 1});
  const auto bits = [&](int64_t saturate) {
    const auto y = run_op("quantize_linear", {x, Tensor::scalar(1.0f)},
                          {{"output_dtype", DType::F8E4M3FN}, {"saturate", saturate}});
    EXPECT_TRUE(y.ok());
    return static_cast<int>(y->bytes()[0]);
  };
  EXPECT_EQ(bits(1), 0x7e);  // 448
  EXPECT_EQ(bits(0), 0x7f);  // NaN
}

TEST(QuantizeLinear, RefusesTypesThatDisagree) {
  const Tensor x = vector_of<float>({1});
  expect_bad_input(run_op("quantize_linear", {x, Tensor::scalar(1.0f), Tensor::scalar<int8_t>(0)},
                          {{"output_dtype", DType::U8}}));
  expect_unsupported(
      run_op("quantize_linear", {x, Tensor::scalar(1.0f)}, {{"output_dtype", DType::F64}}));
  expect_bad_input(run_op("quantize_linear", {x, Tensor::scalar(1.0f), vector_of<int8_t>({0, 0})}));
}

TEST(DequantizeLinear, IsOfTheScalesType) {
  const auto y =
      run_op("dequantize_linear",
             {vector_of<uint8_t>({0, 3}), Tensor::scalar(Half(0.5f)), Tensor::scalar<uint8_t>(1)});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(y->dtype(), DType::F16);
  EXPECT_EQ(to_doubles(*y), (std::vector<double>{-0.5, 1}));
  expect_tensor<float>(
      run_op("dequantize_linear", {vector_of<int32_t>({INT32_MIN}), Tensor::scalar(1.0f)}), {1},
      {-2147483648.0f});
}

TEST(DynamicQuantizeLinear, TakesZerosAndNothing) {
  expect_tensor<uint8_t>(run_op("dynamic_quantize_linear", {vector_of<float>({0, 0})}, {}, 3), {2},
                         {0, 0});
  expect_tensor<uint8_t>(run_op("dynamic_quantize_linear", {vector_of<float>({})}, {}, 3), {0}, {});
  expect_tensor<uint8_t>(run_op("dynamic_quantize_linear", {vector_of<float>({-1, 4})}, {}, 3), {2},
                         {0, 255});
}

TEST(QuantizeLinear, KnowsElementsSmallerThanAByte) {
  const Tensor x = vector_of<float>({-3, 0.6f, 1, 9});
  const Tensor half = Tensor::scalar(0.5f);
  const auto there_and_back = [&](DType dtype) {
    const auto small = run_op("quantize_linear", {x, half}, {{"output_dtype", dtype}});
    EXPECT_TRUE(small.ok()) << small.error().message;
    return run_op("dequantize_linear", {*small, half});
  };
  expect_tensor<float>(there_and_back(DType::I2), {4}, {-1, 0.5f, 0.5f, 0.5f});
  expect_tensor<float>(there_and_back(DType::U2), {4}, {0, 0.5f, 1, 1.5f});
  expect_tensor<float>(there_and_back(DType::F4E2M1), {4}, {-3, 0.5f, 1, 3});
}

}  // namespace
}  // namespace hone
