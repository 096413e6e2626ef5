#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

const Attrs kNhwc{{"layout", std::string("nhwc")}};

// 3x3, stride 1, padded by one, one scale per output channel.
TEST(ConvQuantized, Int8FollowsTheRuleElementByElement) {
  const int64_t h = 5, w = 4, ci = 3, co = 2;
  const auto x = some_values<int8_t>(static_cast<size_t>(h * w * ci), -128, 127);
  const auto k = some_values<int8_t>(static_cast<size_t>(co * 9 * ci), -127, 127);
  const std::vector<int32_t> bias{1000, -777};
  const std::vector<float> scales{0.013f, 0.0021f};
  const auto y = run_quantized(
      "conv",
      {quantized<int8_t>({1, h, w, ci}, x, quant(0.11f, -5)),
       quantized<int8_t>({co, 3, 3, ci}, k, quant_along(0, scales)), vector_of<int32_t>(bias)},
      {DType::I8, {}, quant(0.37f, 7)},
      {{"layout", std::string("nhwc")}, {"pads", Ints{1, 1, 1, 1}}});
  std::vector<int8_t> expected;
  for (int64_t r = 0; r < h; ++r) {
    for (int64_t c = 0; c < w; ++c) {
      for (int64_t o = 0; o < co; ++o) {
        int64_t sum = bias[static_cast<size_t>(o)];
        for (int64_t t = 0; t < 9 * ci; ++t) {
          const int64_t row = r + t / (3 * ci) - 1;
          const int64_t column = c + t / ci % 3 - 1;
          if (row < 0 || row >= h || column < 0 || column >= w) continue;
          const auto at = static_cast<size_t>((row * w + column) * ci + t % ci);
          sum += (x[at] + 5) * k[static_cast<size_t>(o * 9 * ci + t)];
        }
        const double factor = double{0.11f} * scales[static_cast<size_t>(o)] / double{0.37f};
        expected.push_back(by_the_book(sum, factor, 7));
      }
    }
  }
  expect_tensor<int8_t>(y, {1, h, w, co}, expected);
}

TEST(ConvQuantized, Uint8TakesZeroPointsOfWeights) {
  // (10 - 4) * (3 - 5) + (20 - 4) * (9 - 5) = 52; times 0.5 * 0.5 / 1 is 13, and 2 on top.
  expect_tensor<uint8_t>(run_quantized("conv",
                                       {quantized<uint8_t>({1, 1, 1, 2}, {10, 20}, quant(0.5f, 4)),
                                        quantized<uint8_t>({1, 1, 1, 2}, {3, 9}, quant(0.5f, 5))},
                                       {DType::U8, {}, quant(1, 2)}, kNhwc),
                         {1, 1, 1, 1}, {15});
}

TEST(ConvQuantized, Int16SumsInTheWidthOfItsBias) {
  const Tensor x = quantized<int16_t>({1, 1, 1, 1}, {30000}, quant(0.5f));
  const Tensor w = quantized<int8_t>({1, 1, 1, 1}, {100}, quant(0.5f));
  const TensorType type{DType::I16, {}, quant(1000.0f)};
  // 3e6 + 2^40 is far beyond 32 bits; times 0.00025.
  const int64_t wide = int64_t{1} << 40;
  const auto y = run_quantized("conv", {x, w, vector_of<int64_t>({wide})}, type, kNhwc);
  expect_tensor<int16_t>(y, {1, 1, 1, 1}, {32767});
  expect_tensor<int16_t>(run_quantized("conv", {x, w, vector_of<int64_t>({0})}, type, kNhwc),
                         {1, 1, 1, 1}, {750});
}

TEST(ConvQuantized, CutsAtWhatTheActivationMeansInTheOutputsScale) {
  const Tensor x = quantized<int8_t>({1, 1, 3, 1}, {-50, 4, 100}, quant(1.0f));
  const Tensor w = quantized<int8_t>({1, 1, 1, 1}, {1}, quant(1.0f));
  expect_tensor<int8_t>(
      run_quantized("conv", {x, w}, {DType::I8, {}, quant(0.1f, -128)},
                    {{"layout", std::string("nhwc")}, {"activation", std::string("relu6")}}),
      {1, 1, 3, 1}, {-128, -88, -68});
}

TEST(ConvQuantized, RefusesWhatTfliteDoesNotHave) {
  const Tensor x = quantized<int8_t>({1, 1, 1, 1}, {1}, quant(1.0f));
  const Tensor w = quantized<int8_t>({1, 1, 1, 1}, {1}, quant(1.0f));
  const TensorType type{DType::I8, {}, quant(1.0f)};
  expect_unsupported(run_quantized("conv", {x, vector_of<int8_t>({1})}, type, kNhwc));
  expect_unsupported(run_quantized("conv", {x, w}, {DType::I16, {}, quant(1.0f)}, kNhwc));
  expect_unsupported(run_quantized("conv", {x, w}, {DType::I8, {}}, kNhwc));
  expect_unsupported(run_quantized("conv", {x, w, vector_of<float>({1})}, type, kNhwc));
  expect_unsupported(
      run_quantized("conv", {x, w}, type,
                    {{"layout", std::string("nhwc")}, {"activation", std::string("tanh")}}));
}

TEST(ConvQuantized, RefusesPlainIntegersAndMixedFloats) {
  const Tensor x = Tensor::of<int8_t>({1, 1, 1, 1}, {1});
  expect_unsupported(run_op("conv", {x, x}));
  expect_bad_input(
      run_op("conv", {Tensor::of<float>({1, 1, 1}, {1}), Tensor::of<double>({1, 1, 1}, {1})}));
}

TEST(ConvHybrid, QuantizesEachSampleByItsLargestElement) {
  // Sample 0: scale 1/127, 1 -> 127, 0.5 -> 64 (63.5 away from zero). Sample 1: all zero.
  const Tensor x = Tensor::of<float>({2, 1, 1, 2}, {1, 0.5f, 0, 0});
  const Tensor w = quantized<int8_t>({1, 1, 1, 2}, {10, -20}, quant(0.5f));
  const auto y = run_quantized("conv", {x, w, vector_of<float>({3})}, {DType::F32, {}}, kNhwc);
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_FLOAT_EQ(y->data<float>()[0], (127 * 10 - 64 * 20) * (1.0f / 127 * 0.5f) + 3);
  EXPECT_FLOAT_EQ(y->data<float>()[1], 3);
}

TEST(ConvHybrid, ExpandsTheWeightsWhenAsked) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {1, 0.5f});
  const Tensor w = quantized<int8_t>({1, 1, 1, 2}, {10, -21}, quant(0.5f));
  expect_tensor<float>(
      run_quantized("conv", {x, w}, {DType::F32, {}}, kNhwc, {.expand_hybrid_weights = true}),
      {1, 1, 1, 1}, {5 - 5.25f});
}

TEST(ConvTflite, TurnsDepthwiseWeightsAndTheirAxis) {
  // Two channels, two outputs each: weights [1, 1, 1, 4].
  const auto graph = import_case(
      {.op = "DEPTHWISE_CONV_2D",
       .inputs = {quantized<int8_t>({1, 1, 1, 2}, {3, 5}, quant(1.0f)),
                  quantized<int8_t>({1, 1, 1, 4}, {1, 2, 3, 4}, quant_along(3, {1, 1, 1, 2}))},
       .outputs = {{DType::I8, {1, 1, 1, 4}, quant(1.0f)}}});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Node* conv = graph->nodes()[0];
  EXPECT_EQ(conv->inputs[1]->type.tensor.shape, (Shape{4, 1, 1, 1}));
  EXPECT_EQ(conv->inputs[1]->type.tensor.quant->axis, 0);
  EXPECT_EQ(*conv->find_attr<int64_t>("group"), 2);
}

TEST(ConvTflite, ComputesDepthwiseWithAMultiplier) {
  expect_tensor<int8_t>(run_tflite({.op = "DEPTHWISE_CONV_2D",
                                    .inputs = {quantized<int8_t>({1, 1, 1, 2}, {3, 5}, quant(1.0f)),
                                               quantized<int8_t>({1, 1, 1, 4}, {1, 2, 3, 4},
                                                                 quant_along(3, {1, 1, 1, 2}))},
                                    .outputs = {{DType::I8, {1, 1, 1, 4}, quant(1.0f)}}}),
                        {1, 1, 1, 4}, {3, 6, 15, 40});
}

TEST(ConvTflite, TransposedConvolutionPadsAsTheConvolutionOfItsOutput) {
  // Stride 2, kernel 3, SAME: 2 pixels become 4, the first tap of padding in front being cut.
  const Tensor x = Tensor::of<float>({1, 1, 2, 1}, {1, 10});
  const Tensor w = Tensor::of<float>({1, 1, 3, 1}, {1, 2, 3});
  const TfliteCase test{.op = "TRANSPOSE_CONV",
                        .inputs = {vector_of<int32_t>({1, 1, 4, 1}), w, x},
                        .outputs = {{DType::F32, {1, 1, 4, 1}}},
                        .options = {{"padding", std::string("SAME")},
                                    {"stride_w", int64_t{2}},
                                    {"stride_h", int64_t{1}}},
                        .computed = {2}};
  expect_tensor<float>(run_tflite(test), {1, 1, 4, 1}, {1, 2, 13, 20});
}

TEST(ConvTflite, RefusesWhatItCannotImport) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 3}, {1, 2, 3});
  const Tensor w = Tensor::of<float>({1, 1, 1, 2}, {1, 2});
  const TensorType y{DType::F32, {1, 1, 1, 1}};
  expect_bad_input(import_case({.op = "CONV_2D", .inputs = {x, w}, .outputs = {y}}));
  expect_bad_input(import_case({.op = "CONV_2D", .inputs = {x}, .outputs = {y}}));
  expect_unsupported(
      import_case({.op = "CONV_2D",
                   .inputs = {x, x},
                   .outputs = {y},
                   .options = {{"fused_activation_function", std::string("SIGN_BIT")}}}));
  expect_unsupported(
      import_case({.op = "Convolution2DTransposeBias", .inputs = {x, x, x}, .outputs = {y}}));
}

}  // namespace
}  // namespace hone
