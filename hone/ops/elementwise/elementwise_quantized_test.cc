#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

std::vector<int8_t> all_int8() {
  std::vector<int8_t> values;
  for (int i = -128; i < 128; ++i) values.push_back(static_cast<int8_t>(i));
  return values;
}

// Within one unit of what real arithmetic gives.
void expect_near(const Result<Tensor>& y, const std::vector<double>& reals) {
  ASSERT_TRUE(y.ok()) << y.error().message;
  const std::vector<double> stored = to_doubles(*y);
  ASSERT_EQ(stored.size(), reals.size());
  const Quantization& how = *y->type().quant;
  for (size_t i = 0; i < stored.size(); ++i) {
    const double wanted = std::clamp(reals[i] / how.scale() + how.zero_point(), -128.0, 127.0);
    EXPECT_NEAR(stored[i], wanted, 1.01) << "element " << i;
  }
}

TEST(ArithmeticQuantized, AddsByHand) {
  // 2 * the larger scale is 2: factors 0.5 and 0.25 after a shift by 20 bits; 7 and 5 thirds of...
  const Tensor a = quantized<int8_t>({3}, {10, -10, 127}, quant(1.0f, 0));
  const Tensor b = quantized<int8_t>({3}, {3, 5, 127}, quant(0.5f, 1));
  // 10 + 1 = 11, -10 + 2 = -8, 127 + 63 = 190 -> cut.
  expect_tensor<int8_t>(run_quantized("add", {a, b}, {DType::I8, {}, quant(1.0f, 2)}), {3},
                        {13, -6, 127});
}

TEST(ArithmeticQuantized, SubtractsAndMultipliesWithBroadcasting) {
  const Tensor a = quantized<int8_t>({2, 2}, {10, 20, 30, 40}, quant(0.5f, 0));
  const Tensor b = quantized<int8_t>({2}, {4, -4}, quant(0.5f, 0));
  const TensorType type{DType::I8, {}, quant(0.5f, 0)};
  expect_tensor<int8_t>(run_quantized("sub", {a, b}, type), {2, 2}, {6, 24, 26, 44});
  expect_tensor<int8_t>(run_quantized("mul", {a, b}, type), {2, 2}, {20, -40, 60, -80});
}

TEST(ArithmeticQuantized, RefusesMixedAndUnscaledOperands) {
  const Tensor a = quantized<int8_t>({1}, {1}, quant(0.5f));
  const TensorType type{DType::I8, {}, quant(0.5f)};
  expect_unsupported(run_quantized("add", {a, vector_of<int8_t>({1})}, type));
  expect_unsupported(run_quantized("add", {a, a}, {DType::I8, {}}));
  expect_unsupported(run_quantized("add", {a, a}, {DType::I16, {}, quant(0.5f)}));
  expect_unsupported(run_quantized("div", {a, a}, type));  // TFLite has it for uint8.
  expect_unsupported(run_quantized(
      "squared_difference",
      {quantized<uint8_t>({1}, {1}, quant(0.5f)), quantized<uint8_t>({1}, {1}, quant(0.5f))},
      {DType::U8, {}, quant(0.5f)}));
  expect_unsupported(run_quantized("add", {a, a}, {DType::I8, {}, quant(1e-7f)}));
  expect_unsupported(run_quantized("mul",
                                   {quantized<int8_t>({2}, {1, 1}, quant_along(0, {1, 2})),
                                    quantized<int8_t>({2}, {1, 1}, quant(1.0f))},
                                   type));
}

TEST(ActivationQuantized, SigmoidAndTanhAreWithinOneUnit) {
  const Tensor x = quantized<int8_t>({256}, all_int8(), quant(0.07f, 5));
  std::vector<double> sigmoid;
  std::vector<double> tanh;
  for (const int8_t q : all_int8()) {
    const double real = (q - 5) * double{0.07f};
    sigmoid.push_back(1 / (1 + std::exp(-real)));
    tanh.push_back(std::tanh(real));
  }
  expect_near(run_quantized("sigmoid", {x}, {DType::I8, {}, quant(1.0f / 256, -128)}), sigmoid);
  expect_near(run_quantized("tanh", {x}, {DType::I8, {}, quant(1.0f / 128, 0)}), tanh);
  expect_unsupported(run_quantized("sigmoid", {x}, {DType::I8, {}, quant(0.1f, 0)}));
}

TEST(ActivationQuantized, Int16TablesAreExactAtTheirPoints) {
  // Scale 2^-12: 0 -> 0.5, saturation at the ends.
  const Tensor x = quantized<int16_t>({3}, {0, 32767, -32768}, quant(1.0f / 4096));
  const TensorType type{DType::I16, {}, quant(1.0f / 32768)};
  expect_tensor<int16_t>(run_quantized("tanh", {x}, type), {3}, {0, 32767, -32767});
  const auto y = run_quantized("sigmoid", {x}, type);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(y->data<int16_t>()[0], 16384);
  EXPECT_NEAR(y->data<int16_t>()[1], 32768 / (1 + std::exp(-8.0)), 2);
}

TEST(ActivationQuantized, HardSwishLeakyReluAndPreluAreWithinOneUnit) {
  const Tensor x = quantized<int8_t>({256}, all_int8(), quant(0.05f, -10));
  const Tensor slope = quantized<int8_t>({1}, {50}, quant(0.01f, 10));
  std::vector<double> swish;
  std::vector<double> leaky;
  for (const int8_t q : all_int8()) {
    const double real = (q + 10) * double{0.05f};
    swish.push_back(real * std::clamp(real / 6 + 0.5, 0.0, 1.0));
    leaky.push_back(real < 0 ? 0.4 * real : real);
  }
  const TensorType type{DType::I8, {}, quant(0.06f, -60)};
  expect_near(run_quantized("hard_swish", {x}, type), swish);
  expect_near(run_quantized("leaky_relu", {x}, type, {{"alpha", 0.4}}), leaky);
  expect_near(run_quantized("prelu", {x, slope}, type), leaky);
}

TEST(ActivationQuantized, ReluBecomesARequantizeThatCuts) {
  const Tensor x = quantized<int8_t>({3}, {-100, 0, 50}, quant(0.5f, 0));
  expect_tensor<int8_t>(
      run_tflite({.op = "RELU", .inputs = {x}, .outputs = {{DType::I8, {3}, quant(0.25f, -128)}}}),
      {3}, {-128, -128, -28});
}

TEST(ElementwiseTflite, RefusesWhatIsNotTheSameOnIntegers) {
  const Tensor q = quantized<int8_t>({1}, {1}, quant(1.0f));
  const TensorType y{DType::I8, {1}, quant(1.0f)};
  for (const char* op : {"SQUARE", "FLOOR_DIV", "FLOOR_MOD"}) {
    expect_unsupported(import_case({.op = op, .inputs = {q, q}, .outputs = {y}}));
  }
  for (const char* op : {"SIN", "COS", "FLOOR", "CEIL", "NEG", "ROUND"}) {
    expect_unsupported(run_tflite({.op = op, .inputs = {q}, .outputs = {y}}));
  }
  // TFLite's kernel shifts by a negative number for scales of 1 and more.
  expect_unsupported(run_tflite({.op = "LESS", .inputs = {q, q}, .outputs = {{DType::Bool, {1}}}}));
}

TEST(ElementwiseTflite, ComposesWhatHoneHasInParts) {
  const Tensor x = vector_of<float>({4, 16});
  const TensorType y{DType::F32, {2}};
  expect_tensor<float>(run_tflite({.op = "RSQRT", .inputs = {x}, .outputs = {y}}), {2},
                       {0.5f, 0.25f});
  expect_tensor<float>(
      run_tflite(
          {.op = "SQUARED_DIFFERENCE", .inputs = {x, vector_of<float>({1, 2})}, .outputs = {y}}),
      {2}, {9, 196});
  expect_tensor<bool>(run_tflite({.op = "NOT_EQUAL",
                                  .inputs = {x, vector_of<float>({4, 4})},
                                  .outputs = {{DType::Bool, {2}}}}),
                      {2}, {false, true});
}

}  // namespace
}  // namespace hone
