// Tables and comparisons against the plain formula, written out here once more.

#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

template <class T>
std::vector<T> all_values() {
  std::vector<T> values;
  for (int q = std::numeric_limits<T>::min(); q <= std::numeric_limits<T>::max(); ++q) {
    values.push_back(static_cast<T>(q));
  }
  return values;
}

template <class T>
T cut(double value) {
  return static_cast<T>(
      std::clamp<double>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

float gelu(float x) {
  return 0.5f * x * std::erfc(x * -0.70710678118654752440f);
}
float gelu_by_tanh(float x) {
  return 0.5f * x * (1.f + std::tanh(0.7978845608028654f * (x + 0.044715f * x * x * x)));
}
float logistic(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}
float elu(float x) {
  return x < 0 ? std::expm1(x) : x;
}

// round(f(x) * (1 / scale)) + zero point in single precision.
template <class T>
void expect_table(const char* op, float (*function)(float), float x_scale, int x_zero,
                  float y_scale, int y_zero) {
  const std::vector<T> x = all_values<T>();
  const TfliteCase test{.op = op,
                        .inputs = {quantized<T>({256}, x, quant(x_scale, x_zero))},
                        .outputs = {{kDTypeOf<T>, {256}, quant(y_scale, y_zero)}},
                        .options = {{"approximate", function == gelu_by_tanh}}};
  std::vector<T> expected;
  for (const T q : x) {
    const float real = x_scale * static_cast<float>(q - x_zero);
    const float inverse = 1 / y_scale;
    expected.push_back(cut<T>(double{std::round(function(real) * inverse)} + y_zero));
  }
  expect_tensor<T>(run_tflite(test), {256}, expected);
}

TEST(TableQuantized, Bytes) {
  expect_table<int8_t>("EXP", std::exp, 0.03f, 20, 0.1f, -128);
  expect_table<int8_t>("ELU", elu, 0.05f, 3, 0.04f, -100);
  expect_table<int8_t>("GELU", gelu, 0.04f, -7, 0.03f, -90);
  expect_table<uint8_t>("GELU", gelu_by_tanh, 0.04f, 120, 0.03f, 8);
  expect_table<uint8_t>("LOGISTIC", logistic, 0.05f, 128, 1.0f / 256, 0);
  expect_table<uint8_t>("TANH", std::tanh, 0.03f, 100, 1.0f / 128, 128);
}

TEST(TableQuantized, LogarithmOfWhatHasNoneIsTheLowestNumber) {
  static constexpr float kLowestLogarithm = (-128 - 10) * 0.04f;
  expect_table<int8_t>(
      "LOG", [](float x) { return x <= 0 ? kLowestLogarithm : std::log(x); }, 0.1f, -100, 0.04f,
      10);
}

TEST(TableQuantized, SixteenBitsAreCloseEverywhere) {
  std::vector<int16_t> x;
  std::vector<double> exponentials;
  for (int q = -32768; q < 32768; q += 97) x.push_back(static_cast<int16_t>(q));
  const auto n = static_cast<int64_t>(x.size());
  const auto y = run_tflite({.op = "EXP",
                             .inputs = {quantized<int16_t>({n}, x, quant(1.0f / 32768))},
                             .outputs = {{DType::I16, {n}, quant(3.0f / 32768)}}});
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y->data<int16_t>()[i], std::exp(x[i] / 32768.0) * 32768 / 3, 1.5) << x[i];
  }
  expect_unsupported(run_tflite({.op = "EXP",
                                 .inputs = {quantized<int16_t>({1}, {1}, quant(1.0f, 1))},
                                 .outputs = {{DType::I16, {1}, quant(1.0f)}}}));
}

TEST(TableQuantized, RootsAreCutAndNegativeNumbersRefused) {
  // 0.5 * (-50 + 128) is 39, its root 6.244998; by 0.1 that is 62 steps.
  const auto root = [](int8_t q) {
    return run_tflite({.op = "SQRT",
                       .inputs = {quantized<int8_t>({1}, {q}, quant(0.5f, -128))},
                       .outputs = {{DType::I8, {1}, quant(0.1f, -100)}}});
  };
  expect_tensor<int8_t>(root(-50), {1}, {-38});
  expect_tensor<int8_t>(root(-128), {1}, {-100});
  const Tensor negative = quantized<int8_t>({1}, {-1}, quant(0.5f));
  for (const char* op : {"SQRT", "RSQRT"}) {
    expect_bad_input(
        run_tflite({.op = op, .inputs = {negative}, .outputs = {{DType::I8, {1}, quant(0.1f)}}}));
  }
}

TEST(TableQuantized, ReciprocalRootsAreWithinOneStep) {
  const std::vector<int8_t> x = all_values<int8_t>();
  const auto y = run_tflite({.op = "RSQRT",
                             .inputs = {quantized<int8_t>({256}, x, quant(0.1f, -128))},
                             .outputs = {{DType::I8, {256}, quant(0.02f, -100)}}});
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_EQ(y->data<int8_t>()[0], 127);
  for (size_t i = 1; i < 256; ++i) {
    const double wanted = 1 / std::sqrt(double{0.1f} * static_cast<double>(i)) / 0.02 - 100;
    EXPECT_NEAR(y->data<int8_t>()[i], std::min(wanted, 127.0), 0.51) << i;
  }
}

TEST(TableQuantized, AbsoluteValuesOfAnotherScale) {
  const Tensor x = quantized<int8_t>({4}, {-128, -3, 7, 127}, quant(0.5f, 2));
  expect_tensor<int8_t>(
      run_tflite({.op = "ABS", .inputs = {x}, .outputs = {{DType::I8, {4}, quant(0.5f, -128)}}}),
      {4}, {2, -123, -123, -3});
  expect_tensor<int8_t>(
      run_tflite({.op = "ABS", .inputs = {x}, .outputs = {{DType::I8, {4}, quant(1.0f, -128)}}}),
      {4}, {-63, -125, -125, -65});  // 2.5 and 62.5 steps go up.
}

TEST(CompareQuantized, RoundsBothSidesToSteps) {
  const auto a = all_values<int8_t>();
  const auto b = some_values<int8_t>(256, -128, 127);
  const auto run = [&](const char* op) {
    return run_tflite({.op = op,
                       .inputs = {quantized<int8_t>({256}, a, quant(0.013f, 5)),
                                  quantized<int8_t>({256}, b, quant(0.021f, -9))},
                       .outputs = {{DType::Bool, {256}}},
                       .computed = {0, 1}});
  };
  std::vector<bool> less;
  std::vector<bool> differs;
  const auto less_y = run("LESS");
  const auto differs_y = run("NOT_EQUAL");
  ASSERT_TRUE(less_y.ok() && differs_y.ok());
  for (size_t i = 0; i < 256; ++i) {
    // The rule's own rounding, without a zero point; 16 bits of result are enough here.
    const auto steps = [](int q, float scale) {
      int shift = 0;
      const double multiplier = std::round(std::frexp(double{scale}, &shift) * 0x1p31);
      const double high = std::floor(q * 256.0 * multiplier / 0x1p31 + 0.5);
      return std::round(high / std::ldexp(1.0, -shift));
    };
    const double left = steps(a[i] - 5, 0.013f);
    const double right = steps(b[i] + 9, 0.021f);
    EXPECT_EQ(less_y->data<bool>()[i], left < right) << i;
    EXPECT_EQ(differs_y->data<bool>()[i], left != right) << i;
  }
}

TEST(CompareQuantized, SixteenBitsOnlyOfOneScale) {
  const Tensor a = quantized<int16_t>({2}, {1, 300}, quant(2.0f));
  const Tensor b = quantized<int16_t>({2}, {1, 299}, quant(2.0f));
  const TensorType y{DType::Bool, {2}};
  expect_tensor<bool>(run_tflite({.op = "EQUAL", .inputs = {a, b}, .outputs = {y}}), {2},
                      {true, false});
  expect_unsupported(run_tflite({.op = "EQUAL",
                                 .inputs = {a, quantized<int16_t>({2}, {1, 1}, quant(1.0f))},
                                 .outputs = {y}}));
}

TEST(SelectQuantized, ChoosesStoredValuesOfOneScale) {
  const auto how = quant(0.5f, 3);
  const Tensor a = quantized<int8_t>({2, 2}, {1, 2, 3, 4}, how);
  const Tensor b = quantized<int8_t>({2, 2}, {5, 6, 7, 8}, how);
  const Tensor rows = Tensor::of<bool>({2}, {true, false});
  TfliteCase test{.op = "SELECT",
                  .inputs = {rows, a, b},
                  .outputs = {{DType::I8, {2, 2}, how}},
                  .computed = {0, 1, 2}};
  expect_tensor<int8_t>(run_tflite(test), {2, 2}, {1, 2, 7, 8});
  test.op = "SELECT_V2";
  expect_tensor<int8_t>(run_tflite(test), {2, 2}, {1, 6, 3, 8});
  test.outputs = {{DType::I8, {2, 2}, quant(0.25f, 3)}};
  expect_unsupported(run_tflite(test));
}

TEST(ArithmeticQuantized, DividesToWithinOneStep) {
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;
  for (int i = 0; i < 256; i += 5) {
    for (int j = 0; j < 256; j += 3) {
      if (j == 60) continue;
      a.push_back(static_cast<uint8_t>(i));
      b.push_back(static_cast<uint8_t>(j));
    }
  }
  const auto n = static_cast<int64_t>(a.size());
  TfliteCase test{.op = "DIV",
                  .inputs = {quantized<uint8_t>({n}, a, quant(0.1f, 100)),
                             quantized<uint8_t>({n}, b, quant(0.05f, 60))},
                  .outputs = {{DType::U8, {n}, quant(0.2f, 128)}},
                  .computed = {0, 1}};
  const auto y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (size_t i = 0; i < a.size(); ++i) {
    const double real = (a[i] - 100) * 0.1 / ((b[i] - 60) * 0.05) / 0.2 + 128;
    EXPECT_NEAR(y->data<uint8_t>()[i], std::clamp(real, 0.0, 255.0), 0.51);
  }
  test.inputs[1] = quantized<uint8_t>({1}, {60}, quant(0.05f, 60));
  expect_bad_input(run_tflite(test));
}

TEST(ArithmeticQuantized, SquaresDifferences) {
  // (20 - 4) * 0.5 - (3 - 5) * 0.25 is 8.5; its square 72.25 by 1.0 is 72 steps.
  expect_tensor<int8_t>(run_tflite({.op = "SQUARED_DIFFERENCE",
                                    .inputs = {quantized<int8_t>({1}, {20}, quant(0.5f, 4)),
                                               quantized<int8_t>({1}, {3}, quant(0.25f, 5))},
                                    .outputs = {{DType::I8, {1}, quant(1.0f, -100)}}}),
                        {1}, {-28});
}

TEST(ActivationQuantized, ReluZeroToOneCutsAtOne) {
  const Tensor x = quantized<uint8_t>({4}, {0, 100, 130, 255}, quant(0.01f, 100));
  expect_tensor<uint8_t>(
      run_tflite(
          {.op = "RELU_0_TO_1", .inputs = {x}, .outputs = {{DType::U8, {4}, quant(0.01f, 0)}}}),
      {4}, {0, 0, 30, 100});
}

TEST(CastTflite, ConvertsWhatIsStored) {
  const Tensor x = quantized<int8_t>({2}, {-3, 100}, quant(0.5f, 7));
  expect_tensor<float>(run_tflite({.op = "CAST", .inputs = {x}, .outputs = {{DType::F32, {2}}}}),
                       {2}, {-3, 100});
  const auto back =
      run_tflite({.op = "CAST", .inputs = {x}, .outputs = {{DType::U8, {2}, quant(0.25f, 1)}}});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back->type().quant, *quant(0.25f, 1));
}

TEST(ElementwiseTflite, DividesAndTakesRestsDownwards) {
  const Tensor a = vector_of<int32_t>({7, -7, 7, -7, 6});
  const Tensor b = vector_of<int32_t>({3, 3, -3, -3, -3});
  expect_tensor<int32_t>(run_tflite({.op = "FLOOR_DIV",
                                     .inputs = {a, b},
                                     .outputs = {{DType::I32, {5}}},
                                     .computed = {0, 1}}),
                         {5}, {2, -3, -3, 2, -2});
  expect_tensor<float>(run_tflite({.op = "FLOOR_MOD",
                                   .inputs = {vector_of<float>({7, -7, 7, -7, 6}),
                                              vector_of<float>({3, 3, -3, -3, -3})},
                                   .outputs = {{DType::F32, {5}}},
                                   .computed = {0, 1}}),
                       {5}, {1, 2, -2, -1, 0});
}

TEST(ElementwiseTflite, AddsManyInOrder) {
  const Tensor x = vector_of<int32_t>({1, 2});
  expect_tensor<int32_t>(run_tflite({.op = "ADD_N",
                                     .inputs = {x, x, x},
                                     .outputs = {{DType::I32, {2}}},
                                     .computed = {0, 1, 2}}),
                         {2}, {3, 6});
}

}  // namespace
}  // namespace hone
