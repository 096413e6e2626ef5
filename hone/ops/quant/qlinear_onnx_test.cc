// ONNX Runtime's quantized operators, by what they mean: real = scale * (stored - zero point).

#include "hone/ops/testing.h"

namespace hone {
namespace {

const Tensor kHalf = Tensor::scalar(0.5f);
const Tensor kQuarter = Tensor::scalar(0.25f);

Tensor zero(uint8_t value) {
  return Tensor::scalar(value);
}

TEST(QLinear, AddAndMulComputeOnRealNumbers) {
  const Tensor a = vector_of<uint8_t>({10, 20, 255});  // 0, 5, 122.5
  const Tensor b = vector_of<uint8_t>({4, 8, 200});    // 1, 2, 50
  const std::vector<Tensor> inputs{a, kHalf, zero(10), b, kQuarter, zero(0), kHalf, zero(3)};
  expect_tensor<uint8_t>(run_ort("QLinearAdd", inputs), {3}, {5, 17, 255});
  expect_tensor<uint8_t>(run_ort("QLinearMul", inputs), {3}, {3, 23, 255});
}

TEST(QLinear, ZeroPointsMayBeLeftOut) {
  const Tensor a = vector_of<int8_t>({10, -20});
  expect_tensor<int8_t>(run_ort("QLinearAdd", {a, kHalf, Tensor(), a, kHalf, Tensor(), kHalf}), {2},
                        {20, -40});
}

TEST(QLinear, FunctionsOfOneTensor) {
  const Tensor x = vector_of<int8_t>({-8, 0, 8});
  const Tensor none = Tensor::scalar<int8_t>(0);
  const Tensor step = Tensor::scalar(1.0f / 256);
  const Tensor low = Tensor::scalar<int8_t>(-128);
  // sigmoid of -4, 0 and 4.
  expect_tensor<int8_t>(run_ort("QLinearSigmoid", {x, kHalf, none, step, low}), {3},
                        {-123, 0, 123});
  expect_tensor<int8_t>(
      run_ort("QLinearLeakyRelu", {x, kHalf, none, kHalf, none}, {{"alpha", 0.25}}), {3},
      {-2, 0, 8});
  expect_tensor<int8_t>(
      run_ort("QLinearSoftmax", {vector_of<int8_t>({3, 3}), kHalf, none, step, low},
              {{"axis", int64_t{-1}}, {"opset", int64_t{13}}}),
      {2}, {0, 0});
}

// Before opset 13 everything from the axis on is one row.
TEST(QLinear, OldSoftmaxSeesAMatrix) {
  const Tensor x = Tensor::of<int8_t>({1, 2, 2}, {1, 1, 1, 1});
  const std::vector<Tensor> inputs{x, kHalf, Tensor::scalar<int8_t>(0), Tensor::scalar(1.0f / 256),
                                   Tensor::scalar<int8_t>(-128)};
  const auto run = [&](int64_t opset) {
    return run_ort("QLinearSoftmax", inputs, {{"axis", int64_t{1}}, {"opset", opset}});
  };
  expect_tensor<int8_t>(run(9), {1, 2, 2}, {-64, -64, -64, -64});
  expect_tensor<int8_t>(run(13), {1, 2, 2}, {0, 0, 0, 0});
}

TEST(QLinear, PoolsTakeBothLayouts) {
  const Tensor x = Tensor::of<uint8_t>({1, 1, 2, 2}, {10, 20, 30, 60});
  const std::vector<Tensor> pool{x, kHalf, zero(0), kHalf, zero(1)};
  expect_tensor<uint8_t>(run_ort("QLinearAveragePool", pool, {{"kernel_shape", Ints{2, 2}}}),
                         {1, 1, 1, 1}, {31});
  expect_tensor<uint8_t>(run_ort("QLinearGlobalAveragePool", pool), {1, 1, 1, 1}, {31});
  expect_tensor<uint8_t>(run_ort("QLinearGlobalAveragePool", pool, {{"channels_last", int64_t{1}}}),
                         {1, 1, 1, 2}, {21, 41});
}

TEST(QLinear, ConcatBringsPartsToOneScale) {
  const std::vector<Tensor> inputs{kHalf,    zero(1), vector_of<uint8_t>({2, 4}),
                                   kHalf,    zero(0), vector_of<uint8_t>({4}),
                                   kQuarter, zero(0)};
  expect_tensor<uint8_t>(run_ort("QLinearConcat", inputs, {{"axis", int64_t{0}}}), {3}, {3, 5, 3});
  expect_bad_input(run_ort("QLinearConcat", {kHalf, zero(1), vector_of<uint8_t>({2}), kHalf}));
}

TEST(QLinear, GemmHasABiasOfItsOwnScale) {
  const Tensor a = Tensor::of<uint8_t>({1, 2}, {3, 5});  // 1, 2
  const Tensor b = Tensor::of<int8_t>({2, 2}, {4, 8, 2, -6});
  const Tensor scales = vector_of<float>({0.25f, 0.5f});
  const Tensor zeros = vector_of<int8_t>({0, 0});
  const Tensor bias = vector_of<int32_t>({8, 4});  // times 0.5 * (0.25, 0.5): 1, 1
  std::vector<Tensor> inputs{a, kHalf, zero(1), b, scales, zeros, bias};
  // (1 * 1 + 2 * 0.5 + 1, 1 * 4 - 2 * 3 + 1)
  expect_tensor<float>(run_ort("QGemm", inputs), {1, 2}, {3, -1});
  inputs.push_back(kHalf);
  inputs.push_back(zero(10));
  expect_tensor<uint8_t>(run_ort("QGemm", inputs), {1, 2}, {16, 8});
}

TEST(QLinear, PairsOfOnnxRuntimeAreOnnxs) {
  const Tensor x = vector_of<float>({1, 2});
  expect_tensor<uint16_t>(run_ort("QuantizeLinear", {x, kHalf, Tensor::scalar<uint16_t>(1000)}),
                          {2}, {1002, 1004});
  expect_tensor<float>(run_ort("DequantizeLinear", {vector_of<int32_t>({4, 6}), kHalf}), {2},
                       {2, 3});
}

}  // namespace
}  // namespace hone
