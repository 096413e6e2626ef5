#include <cmath>

#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

const TensorType kI8{DType::I8, {}, quant(0.5f, 3)};

TEST(Requantize, RoundsFloatsWithTiesAwayFromZeroAndCuts) {
  const Tensor x = vector_of<float>({0.25f, -0.25f, 0.74f, 1000, -1000, 0});
  expect_tensor<int8_t>(run_quantized("requantize", {x}, kI8), {6}, {4, 2, 4, 127, -128, 3});
}

TEST(Requantize, TurnsNanIntoZeroAndInfinityIntoTheLimit) {
  const Tensor x = vector_of<float>({std::nanf(""), INFINITY, -INFINITY});
  expect_tensor<int8_t>(run_quantized("requantize", {x}, kI8), {3}, {3, 127, -128});
}

TEST(Requantize, MovesUint8ToInt8) {
  const Tensor x = quantized<uint8_t>({4}, {0, 1, 128, 255}, quant(0.1f, 128));
  expect_tensor<int8_t>(run_quantized("requantize", {x}, {DType::I8, {}, quant(0.1f, 0)}), {4},
                        {-128, -127, 0, 127});
}

TEST(Requantize, RoundsByTheRuleAsked) {
  const Tensor x = quantized<int8_t>({2}, {5, -10}, quant(0.25f));
  const TensorType type{DType::I8, {}, quant(1.0f)};
  expect_tensor<int8_t>(run_quantized("requantize", {x}, type), {2}, {2, -3});
  expect_tensor<int8_t>(run_quantized("requantize", {x}, type, {}, {.rounding = Rounding::Single}),
                        {2}, {1, -2});
}

TEST(Requantize, GivesFloatsBack) {
  const Tensor x = quantized<int16_t>({2}, {300, -300}, quant(0.5f));
  expect_tensor<float>(run_quantized("requantize", {x}, {DType::F32, {}}), {2}, {150, -150});
}

TEST(Requantize, KnowsOneScalePerChannel) {
  const Tensor x = quantized<int8_t>({2, 2}, {1, 2, 3, 4}, quant_along(0, {1.0f, 10.0f}));
  expect_tensor<float>(run_quantized("requantize", {x}, {DType::F32, {}}), {2, 2}, {1, 2, 30, 40});
}

TEST(Requantize, CutsByItsActivation) {
  const Tensor x = quantized<int8_t>({3}, {-10, 4, 100}, quant(0.5f));
  expect_tensor<int8_t>(run_quantized("requantize", {x}, {DType::I8, {}, quant(0.5f, -20)},
                                      {{"activation", std::string("relu6")}}),
                        {3}, {-20, -16, -8});
}

TEST(Requantize, RefusesPlainIntegers) {
  expect_bad_input(run_quantized("requantize", {vector_of<int8_t>({1})}, {DType::F32, {}}));
  expect_bad_input(run_quantized("requantize", {vector_of<float>({1})}, {DType::I8, {}}));
}

TEST(Requantize, RefusesAnOutputWithoutAType) {
  expect_bad_input(run_quantized("requantize", {quantized<int8_t>({1}, {1}, quant(0.5f))}, {}));
}

TEST(Requantize, ImportsFloat16ConstantsAsFloat) {
  const Tensor half = Tensor::of<Half>({2}, {Half(1.5), Half(-2.0)});
  const auto graph = import_case(
      {.op = "DEQUANTIZE", .inputs = {half}, .outputs = {{DType::F32, {2}}}, .computed = {}});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->node_count(), 0u);
  EXPECT_EQ(to_doubles(*graph->outputs()[0]->constant), (std::vector<double>{1.5, -2.0}));
}

TEST(Requantize, RefusesToDequantizePlainIntegers) {
  expect_bad_input(import_case(
      {.op = "DEQUANTIZE", .inputs = {vector_of<int8_t>({1})}, .outputs = {{DType::F32, {1}}}}));
  expect_bad_input(import_case(
      {.op = "QUANTIZE", .inputs = {vector_of<float>({1})}, .outputs = {{DType::I8, {1}}}}));
}

}  // namespace
}  // namespace hone
