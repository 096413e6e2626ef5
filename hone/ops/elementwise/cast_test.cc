#include <cmath>
#include <limits>

#include "hone/ops/testing.h"

namespace hone {
namespace {

template <class From>
Result<Tensor> cast(const std::vector<From>& values, DType to) {
  return run_op("cast", {vector_of<From>(values)}, {{"to", to}});
}

TEST(Cast, FloatsToIntegersAreCutAndLimited) {
  expect_tensor<int8_t>(cast<float>({1.9f, -1.9f, 300, -300, kNan, kInf}, DType::I8), {6},
                        {1, -1, 127, -128, 0, 127});
  expect_tensor<uint64_t>(cast<double>({-1, 1e30}, DType::U64), {2},
                          {0, std::numeric_limits<uint64_t>::max()});
}

TEST(Cast, IntegersToSmallerOnesKeepTheLowBits) {
  expect_tensor<uint8_t>(cast<int32_t>({-1, 256, 257}, DType::U8), {3}, {255, 0, 1});
  const auto nibbles = cast<int32_t>({7, 8, -9, 16}, DType::I4);
  ASSERT_TRUE(nibbles.ok());
  EXPECT_EQ(unpack_small(*nibbles), (std::vector<int8_t>{7, -8, 7, 0}));
}

TEST(Cast, FloatsToFourBitsAreCutAndKeepTheLowBits) {
  const std::vector<float> values{-9, -1.5f, 3.5f, 20, kNan};
  const auto plain = cast<float>(values, DType::U4);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(unpack_small(*plain), (std::vector<int8_t>{7, 15, 3, 4, 0}));
  const auto with_sign = cast<float>(values, DType::I4);
  ASSERT_TRUE(with_sign.ok());
  EXPECT_EQ(unpack_small(*with_sign), (std::vector<int8_t>{7, -1, 3, 4, 0}));
}

TEST(Cast, Float8SaturatesUnlessToldNotTo) {
  const Tensor large = vector_of<float>({1e6f});
  const auto saturated = run_op("cast", {large}, {{"to", DType::F8E4M3FN}});
  ASSERT_TRUE(saturated.ok());
  EXPECT_EQ(float(saturated->data<Float8E4M3FN>()[0]), 448);
  const auto not_saturated =
      run_op("cast", {large}, {{"to", DType::F8E4M3FN}, {"saturate", int64_t{0}}});
  ASSERT_TRUE(not_saturated.ok());
  EXPECT_TRUE(std::isnan(float(not_saturated->data<Float8E4M3FN>()[0])));
}

TEST(Cast, NumbersAreWrittenAsPythonDoes) {
  expect_tensor<std::string>(
      cast<float>({0.1f, 1, -1234.5f, 1e16f, 1e15f, 1e-5f, 0.0001f, kNan, -kInf, 0}, DType::String),
      {10},
      {"0.1", "1.0", "-1234.5", "1e+16", "1000000000000000.0", "1e-05", "0.0001", "NaN", "-INF",
       "0.0"});
  expect_tensor<std::string>(cast<double>({0.1, 1.0 / 3}, DType::String), {2},
                             {"0.1", "0.3333333333333333"});
  expect_tensor<std::string>(cast<Half>({Half(0.1f), Half(65504.0f)}, DType::String), {2},
                             {"0.1", "65500.0"});
  expect_tensor<std::string>(cast<uint64_t>({18446744073709551615u}, DType::String), {1},
                             {"18446744073709551615"});
}

TEST(Cast, StringsAreReadWhole) {
  expect_tensor<float>(cast<std::string>({"3.5", "1e-3", "+INF", "-inf", " 2 "}, DType::F32), {5},
                       {3.5f, 1e-3f, kInf, -kInf, 2});
  expect_tensor<int64_t>(cast<std::string>({"9223372036854775807", "100.5"}, DType::I64), {2},
                         {std::numeric_limits<int64_t>::max(), 100});
  expect_bad_input(cast<std::string>({"12 monkeys"}, DType::F32));
  expect_bad_input(cast<std::string>({""}, DType::I32));
  expect_bad_input(cast<std::string>({std::string("1\0", 2)}, DType::I32));
  expect_unsupported(cast<std::string>({"true"}, DType::Bool));
}

TEST(Cast, OldVersionsNameTheType) {
  expect_tensor<int32_t>(
      run_onnx("Cast", 1, {vector_of<float>({2.5f})}, {{"to", std::string("INT32")}}), {1}, {2});
  expect_unsupported(
      run_onnx("Cast", 1, {vector_of<float>({2.5f})}, {{"to", std::string("COMPLEX64")}}));
}

TEST(Cast, NeedsAType) {
  expect_bad_input(run_op("cast", {vector_of<float>({1})}, {{"to", DType::Undefined}}));
  expect_bad_input(run_op("cast", {vector_of<float>({1})}));
}

TEST(Cast, KnowsElementsOfTwoBits) {
  const auto with_sign = cast<int32_t>({-2, -1, 0, 1, 2, 7}, DType::I2);
  ASSERT_TRUE(with_sign.ok());
  EXPECT_EQ(with_sign->bytes().size(), 2u);
  EXPECT_EQ(to_ints(*with_sign), (std::vector<int64_t>{-2, -1, 0, 1, -2, -1}));
  const auto plain = cast<float>({3.9f, 4, -1}, DType::U2);
  ASSERT_TRUE(plain.ok());
  expect_tensor<int32_t>(run_op("cast", {*plain}, {{"to", DType::I32}}), {3}, {3, 0, 3});
}

TEST(Cast, FloatsOfFourBitsAreRoundedToEvenAndLimited) {
  const auto small =
      cast<float>({0.25f, 0.75f, 1.25f, 2.5f, 5, 5.1f, -100, kInf, kNan, -0.3f}, DType::F4E2M1);
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->bytes().size(), 5u);
  expect_tensor<float>(run_op("cast", {*small}, {{"to", DType::F32}}), {10},
                       {0, 1, 1, 2, 4, 6, -6, 6, 6, -0.5f});
}

TEST(BitCast, KeepsTheBits) {
  const auto run = [](const Tensor& x, DType to) { return run_op("bit_cast", {x}, {{"to", to}}); };
  expect_tensor<uint32_t>(run(vector_of<float>({1, -0.0f}), DType::U32), {2},
                          {0x3F800000u, 0x80000000u});
  expect_tensor<int8_t>(run(vector_of<uint8_t>({255}), DType::I8), {1}, {-1});
  expect_tensor<bool>(run(vector_of<uint8_t>({2, 0}), DType::Bool), {2}, {true, false});
  expect_bad_input(run(vector_of<float>({1}), DType::I64));
  expect_unsupported(run(vector_of<float>({1}), DType::String));
}

}  // namespace
}  // namespace hone
