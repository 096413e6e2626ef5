#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

TEST(GemmQuantized, FollowsTheRuleElementByElement) {
  const int64_t rows = 3, depth = 40, columns = 5;
  const auto a = some_values<int8_t>(static_cast<size_t>(rows * depth), -128, 127);
  const auto b = some_values<int8_t>(static_cast<size_t>(columns * depth), -127, 127);
  const auto bias = some_values<int32_t>(static_cast<size_t>(columns), -5000, 5000);
  const auto y = run_tflite(
      {.op = "FULLY_CONNECTED",
       .inputs = {quantized<int8_t>({rows, depth}, a, quant(0.05f, 3)),
                  quantized<int8_t>({columns, depth}, b, quant(0.007f)), vector_of<int32_t>(bias)},
       .outputs = {{DType::I8, {rows, columns}, quant(0.4f, -9)}}});
  std::vector<int8_t> expected;
  // This kernel multiplies the scales of the operands in single precision.
  const double factor = double{0.05f * 0.007f} / double{0.4f};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      int64_t sum = bias[static_cast<size_t>(c)];
      for (int64_t k = 0; k < depth; ++k) {
        sum += (a[static_cast<size_t>(r * depth + k)] - 3) * b[static_cast<size_t>(c * depth + k)];
      }
      expected.push_back(by_the_book(sum, factor, -9));
    }
  }
  expect_tensor<int8_t>(y, {rows, columns}, expected);
}

TEST(GemmTflite, SeesAnyInputAsRows) {
  const Tensor x = Tensor::of<float>({1, 2, 1, 2}, {1, 2, 3, 4});
  const Tensor w = Tensor::of<float>({1, 2}, {10, 1});
  TfliteCase test{.op = "FULLY_CONNECTED", .inputs = {x, w}, .outputs = {{DType::F32, {2, 1}}}};
  expect_tensor<float>(run_tflite(test), {2, 1}, {12, 34});
  test.outputs = {{DType::F32, {1, 2, 1, 1}}};
  test.options["keep_num_dims"] = true;
  expect_tensor<float>(run_tflite(test), {1, 2, 1, 1}, {12, 34});
}

TEST(GemmTflite, RefusesShuffledWeightsAndAsymmetricInputs) {
  const Tensor x = Tensor::of<float>({1, 2}, {1, 2});
  const TensorType y{DType::F32, {1, 1}};
  expect_unsupported(
      import_case({.op = "FULLY_CONNECTED",
                   .inputs = {x, x},
                   .outputs = {y},
                   .options = {{"weights_format", std::string("SHUFFLED4x16INT8")}}}));
  expect_unsupported(import_case({.op = "FULLY_CONNECTED",
                                  .inputs = {x, quantized<int8_t>({1, 2}, {1, 2}, quant(1.0f))},
                                  .outputs = {y},
                                  .options = {{"asymmetric_quantize_inputs", true}}}));
  expect_bad_input(
      import_case({.op = "FULLY_CONNECTED", .inputs = {x, vector_of<float>({1})}, .outputs = {y}}));
}

TEST(GemmTflite, BatchMatmulTransposesAsAsked) {
  const Tensor a = Tensor::of<float>({2, 1}, {1, 2});
  const Tensor b = Tensor::of<float>({1, 2}, {3, 4});
  expect_tensor<float>(run_tflite({.op = "BATCH_MATMUL",
                                   .inputs = {a, b},
                                   .outputs = {{DType::F32, {1, 1}}},
                                   .options = {{"adj_x", true}, {"adj_y", true}}}),
                       {1, 1}, {11});
}

}  // namespace
}  // namespace hone
