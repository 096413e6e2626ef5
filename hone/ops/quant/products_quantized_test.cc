// Matrix products, logarithms of softmax and products of elements.

#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

TEST(MatmulQuantized, FollowsTheRuleElementByElement) {
  const auto a = some_values<int8_t>(2 * 3 * 20, -128, 127);
  const auto b = some_values<int8_t>(4 * 20, -128, 127);
  const auto y = run_tflite({.op = "BATCH_MATMUL",
                             .inputs = {quantized<int8_t>({2, 3, 20}, a, quant(0.05f, 3)),
                                        quantized<int8_t>({4, 20}, b, quant(0.007f, -2))},
                             .outputs = {{DType::I8, {2, 3, 4}, quant(0.4f, -9)}},
                             .options = {{"adj_y", true}},
                             .computed = {0, 1}});
  std::vector<int8_t> expected;
  for (size_t row = 0; row < 6; ++row) {
    for (size_t column = 0; column < 4; ++column) {
      int64_t sum = 0;
      for (size_t k = 0; k < 20; ++k) sum += (a[row * 20 + k] - 3) * (b[column * 20 + k] + 2);
      expected.push_back(by_the_book(sum, double{0.05f * 0.007f} / double{0.4f}, -9));
    }
  }
  expect_tensor<int8_t>(y, {2, 3, 4}, expected);
}

TEST(MatmulQuantized, Int16SumsInSixtyFourBits) {
  // 4 * 32767^2 is beyond 32 bits; times 2^-17 it is 32766.
  const Tensor a = quantized<int16_t>({1, 4}, {32767, 32767, 32767, 32767}, quant(1.0f / 256));
  const Tensor b = quantized<int16_t>({4, 1}, {32767, 32767, 32767, 32767}, quant(1.0f / 256));
  TfliteCase test{.op = "BATCH_MATMUL",
                  .inputs = {a, b},
                  .outputs = {{DType::I16, {1, 1}, quant(2.0f)}},
                  .computed = {0, 1}};
  expect_tensor<int16_t>(run_tflite(test), {1, 1}, {32766});
  test.inputs[0] = quantized<int16_t>({1, 4}, {1, 1, 1, 1}, quant(1.0f, 1));
  expect_unsupported(run_tflite(test));
}

TEST(MatmulQuantized, Int16ByInt8SumsInSixtyFourBits) {
  const Tensor a = quantized<int16_t>({1, 2}, {32767, 1000}, quant(0.5f));
  const Tensor b = quantized<int8_t>({2, 1}, {127, -100}, quant(0.25f));
  TfliteCase test{.op = "BATCH_MATMUL",
                  .inputs = {a, b},
                  .outputs = {{DType::I16, {1, 1}, quant(32.0f)}},
                  .computed = {0, 1}};
  // (32767 * 127 - 1000 * 100) / 256
  expect_tensor<int16_t>(run_tflite(test), {1, 1}, {15865});
  test.inputs[1] = quantized<int8_t>({2, 1}, {127, -100}, quant(0.25f, 3));
  expect_unsupported(run_tflite(test));
}

// Without a bias the sums still have 64 bits, and the multiplier 16.
TEST(GemmTflite, Int16WithoutABiasSumsInSixtyFourBits) {
  const Tensor x = quantized<int16_t>({1, 2}, {30000, 20000}, quant(0.001f));
  const Tensor w = quantized<int8_t>({1, 2}, {100, 77}, quant(0.01f));
  const int64_t sum = 30000 * 100 + 20000 * 77;
  const double factor = double{0.001f * 0.01f} / double{0.003f};
  int shift = 0;
  const auto multiplier =
      (static_cast<int64_t>(std::round(std::frexp(factor, &shift) * 0x1p31)) + (1 << 15)) >> 16;
  const int64_t wanted = (sum * multiplier + (int64_t{1} << (14 - shift))) >> (15 - shift);
  expect_tensor<int16_t>(run_tflite({.op = "FULLY_CONNECTED",
                                     .inputs = {x, w},
                                     .outputs = {{DType::I16, {1, 1}, quant(0.003f)}}}),
                         {1, 1}, {static_cast<int16_t>(wanted)});
}

template <class T>
void expect_log_softmax(float scale, size_t n) {
  const int low = std::numeric_limits<T>::min();
  const int high = std::numeric_limits<T>::max();
  const auto x = some_values<T>(4 * n, low, high);
  const Shape shape{4, static_cast<int64_t>(n)};
  const auto y = run_tflite({.op = "LOG_SOFTMAX",
                             .inputs = {quantized<T>(shape, x, quant(scale, 3))},
                             .outputs = {{kDTypeOf<T>, shape, quant(1.0f / 16, high)}}});
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (size_t row = 0; row < 4; ++row) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += std::exp(x[row * n + i] * double{scale});
    for (size_t i = row * n; i < row * n + n; ++i) {
      const double wanted = 16 * (x[i] * double{scale} - std::log(sum)) + high;
      EXPECT_NEAR((y->template data<T>()[i]), std::max<double>(wanted, low), 0.52) << i;
    }
  }
}

TEST(LogSoftmaxQuantized, IsWithinOneStep) {
  expect_log_softmax<int8_t>(0.1f, 10);
  expect_log_softmax<uint8_t>(0.1f, 10);
  expect_log_softmax<int8_t>(0.03f, 1000);
  expect_log_softmax<uint8_t>(0.7f, 3);
  expect_log_softmax<int8_t>(0.01f, 1);
}

TEST(LogSoftmaxQuantized, RefusesOtherOutputs) {
  const Tensor x = quantized<int8_t>({2}, {1, 2}, quant(0.1f));
  expect_unsupported(run_tflite(
      {.op = "LOG_SOFTMAX", .inputs = {x}, .outputs = {{DType::I8, {2}, quant(1.0f / 16, 0)}}}));
}

TEST(ReduceQuantized, MultipliesWithAScaleForEachFactor) {
  // 3 * 0.5 * 5 * 0.5 * -4 * 0.5 is -7.5, 60 steps of 0.125 below the zero point.
  const Tensor x = quantized<int8_t>({1, 3}, {4, 6, -3}, quant(0.5f, 1));
  expect_tensor<int8_t>(run_tflite({.op = "REDUCE_PROD",
                                    .inputs = {x, vector_of<int32_t>({1})},
                                    .outputs = {{DType::I8, {1}, quant(0.125f, 10)}}}),
                        {1}, {-50});
}

TEST(TopKTflite, OrdersStoredValues) {
  const auto how = quant(0.5f, 1);
  const auto parts =
      run_case({.op = "TOPK_V2",
                .inputs = {quantized<int8_t>({3}, {-5, 7, 2}, how), Tensor::scalar(int32_t{2})},
                .outputs = {{DType::I8, {2}, how}, {DType::I32, {2}}}});
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  expect_tensor<int8_t>((*parts)[0].tensor, {2}, {7, 2});
  expect_tensor<int32_t>((*parts)[1].tensor, {2}, {1, 2});
}

TEST(PoolTflite, TakesRootsOfMeanSquares) {
  expect_tensor<float>(run_tflite({.op = "L2_POOL_2D",
                                   .inputs = {Tensor::of<float>({1, 1, 2, 1}, {1, 7})},
                                   .outputs = {{DType::F32, {1, 1, 1, 1}}},
                                   .options = {{"filter_width", int64_t{2}},
                                               {"stride_w", int64_t{2}},
                                               {"padding", std::string("VALID")}}}),
                       {1, 1, 1, 1}, {5});
}

}  // namespace
}  // namespace hone
