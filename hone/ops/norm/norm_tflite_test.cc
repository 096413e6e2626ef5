#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

TEST(NormTflite, DividesByTheLengthButNotByZero) {
  const Tensor x = Tensor::of<float>({2, 2}, {3, 4, 0, 0});
  expect_tensor<float>(
      run_tflite({.op = "L2_NORMALIZATION", .inputs = {x}, .outputs = {{DType::F32, {2, 2}}}}),
      {2, 2}, {0.6f, 0.8f, 0, 0});
}

TEST(NormTflite, SumsSquaresOfNeighbouringChannels) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 3}, {1, 2, 3});
  const auto y = run_tflite(
      {.op = "LOCAL_RESPONSE_NORMALIZATION",
       .inputs = {x},
       .outputs = {{DType::F32, {1, 1, 1, 3}}},
       .options = {{"radius", int64_t{1}}, {"bias", 1.0}, {"alpha", 0.5}, {"beta", 1.0}}});
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_FLOAT_EQ(y->data<float>()[0], 1 / (1 + 0.5f * 5));
  EXPECT_FLOAT_EQ(y->data<float>()[1], 2 / (1 + 0.5f * 14));
}

TEST(NormTflite, RefusesIntegers) {
  const Tensor x = quantized<int8_t>({1}, {1}, quant(1.0f));
  expect_unsupported(import_case(
      {.op = "L2_NORMALIZATION", .inputs = {x}, .outputs = {{DType::I8, {1}, quant(1.0f)}}}));
}

}  // namespace
}  // namespace hone
