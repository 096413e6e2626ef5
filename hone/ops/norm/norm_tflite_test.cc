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

TEST(NormTflite, RefusesOtherScalesAndFusedActivations) {
  const Tensor x = quantized<int8_t>({1}, {1}, quant(1.0f));
  TfliteCase test{
      .op = "L2_NORMALIZATION", .inputs = {x}, .outputs = {{DType::I8, {1}, quant(1.0f)}}};
  expect_unsupported(run_tflite(test));
  test.options["fused_activation_function"] = std::string("RELU");
  expect_unsupported(import_case(test));
}

// Rows of one direction and several lengths: every element is close to x / |x| in steps of 1/128.
TEST(NormTflite, NormalizesIntegersToWithinOneStep) {
  const auto x = some_values<int8_t>(120, -128, 127);
  const auto u = some_values<uint8_t>(120, 0, 255);
  const auto signed_y = run_tflite({.op = "L2_NORMALIZATION",
                                    .inputs = {quantized<int8_t>({10, 12}, x, quant(0.3f, 5))},
                                    .outputs = {{DType::I8, {10, 12}, quant(1.0f / 128)}}});
  const auto unsigned_y = run_tflite({.op = "L2_NORMALIZATION",
                                      .inputs = {quantized<uint8_t>({10, 12}, u, quant(0.3f, 100))},
                                      .outputs = {{DType::U8, {10, 12}, quant(1.0f / 128, 128)}}});
  ASSERT_TRUE(signed_y.ok() && unsigned_y.ok());
  for (size_t row = 0; row < 10; ++row) {
    double a = 0;
    double b = 0;
    for (size_t i = row * 12; i < row * 12 + 12; ++i) {
      a += std::pow(x[i] - 5, 2);
      b += std::pow(u[i] - 100, 2);
    }
    for (size_t i = row * 12; i < row * 12 + 12; ++i) {
      const double wanted = std::min(128 * (x[i] - 5) / std::sqrt(a), 127.0);
      EXPECT_NEAR(signed_y->data<int8_t>()[i], wanted, 0.51);
      EXPECT_NEAR(unsigned_y->data<uint8_t>()[i], 128 + 128 * (u[i] - 100) / std::sqrt(b), 0.51);
    }
  }
}

}  // namespace
}  // namespace hone
