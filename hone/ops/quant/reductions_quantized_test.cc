// Pools, softmax, reductions, resizing and movement of quantized tensors.

#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

TEST(PoolQuantized, AverageRoundsTiesAwayFromZero) {
  const auto how = quant(0.3f, 2);
  const Tensor x = quantized<int8_t>({1, 1, 4, 1}, {3, 4, -3, -4}, how);
  const TfliteCase test{.op = "AVERAGE_POOL_2D",
                        .inputs = {x},
                        .outputs = {{DType::I8, {1, 1, 2, 1}, how}},
                        .options = {{"filter_width", int64_t{2}},
                                    {"filter_height", int64_t{1}},
                                    {"stride_w", int64_t{2}},
                                    {"stride_h", int64_t{1}},
                                    {"padding", std::string("VALID")}}};
  expect_tensor<int8_t>(run_tflite(test), {1, 1, 2, 1}, {4, -4});
}

TEST(PoolQuantized, MaxCutsByItsActivation) {
  const auto how = quant(0.5f, -100);
  const Tensor x = quantized<int8_t>({1, 1, 2, 1}, {-110, 100}, how);
  expect_tensor<int8_t>(run_quantized("max_pool", {x}, {DType::I8, {}, how},
                                      {{"kernel_shape", Ints{1, 1}},
                                       {"layout", std::string("nhwc")},
                                       {"activation", std::string("relu6")}}),
                        {1, 1, 2, 1}, {-100, -88});
}

TEST(PoolQuantized, RefusesAnotherScaleForTheOutput) {
  const Tensor x = quantized<int8_t>({1, 1, 1, 1}, {1}, quant(0.5f));
  expect_unsupported(run_quantized("average_pool", {x}, {DType::I8, {}, quant(0.25f)},
                                   {{"kernel_shape", Ints{1, 1}}}));
}

TEST(SoftmaxQuantized, IsWithinOneUnitForEveryType) {
  const std::vector<int8_t> values{-128, -20, 0, 31, 127, 126};
  std::vector<double> expected;
  double sum = 0;
  for (const int8_t q : values) sum += std::exp(q * double{0.1f});
  for (const int8_t q : values) expected.push_back(std::exp(q * double{0.1f}) / sum);
  const Tensor x = quantized<int8_t>({1, 6}, values, quant(0.1f, 17));
  const auto narrow = run_quantized("softmax", {x}, {DType::I8, {}, quant(1.0f / 256, -128)});
  const auto wide = run_quantized("softmax", {x}, {DType::I16, {}, quant(1.0f / 65536, -32768)});
  const std::vector<int16_t> values16(values.begin(), values.end());
  const Tensor x16 = quantized<int16_t>({1, 6}, values16, quant(0.1f));
  const auto table = run_quantized("softmax", {x16}, {DType::I16, {}, quant(1.0f / 32768)});
  ASSERT_TRUE(narrow.ok() && wide.ok() && table.ok());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(narrow->data<int8_t>()[i], std::min(expected[i] * 256 - 128, 127.0), 1);
    EXPECT_NEAR(wide->data<int16_t>()[i], expected[i] * 65536 - 32768, 2);
    EXPECT_NEAR(table->data<int16_t>()[i], expected[i] * 32768, 16);
  }
}

TEST(SoftmaxQuantized, RefusesOtherOutputsAndAxes) {
  const Tensor x = quantized<int8_t>({2, 2}, {1, 2, 3, 4}, quant(0.1f));
  const TensorType type{DType::I8, {}, quant(1.0f / 256, -128)};
  expect_unsupported(run_quantized("softmax", {x}, {DType::I8, {}, quant(1.0f / 128, 0)}));
  expect_unsupported(run_quantized("softmax", {x}, type, {{"axis", int64_t{0}}}));
  expect_unsupported(
      import_case({.op = "SOFTMAX", .inputs = {x}, .outputs = {type}, .options = {{"beta", 2.0}}}));
}

TEST(ReduceQuantized, MeanIsPartOfTheScaling) {
  // 10, 20, 31 less 1 make 58; the mean 19.33 of scale 0.5 is 38.67 in scale 0.25.
  const Tensor x = quantized<int8_t>({1, 3}, {10, 20, 31}, quant(0.5f, 1));
  const TfliteCase test{.op = "MEAN",
                        .inputs = {x, vector_of<int32_t>({-1, 1})},
                        .outputs = {{DType::I8, {1, 1}, quant(0.25f, -3)}},
                        .options = {{"keep_dims", true}}};
  expect_tensor<int8_t>(run_tflite(test), {1, 1}, {36});
}

TEST(ReduceQuantized, SumsAndFindsExtremes) {
  const auto how = quant(0.5f, 1);
  const Tensor x = quantized<int8_t>({2, 2}, {10, 20, -30, 5}, how);
  const Tensor axis = vector_of<int64_t>({1});
  const Attrs drop{{"keepdims", int64_t{0}}};
  expect_tensor<int8_t>(run_quantized("reduce_sum", {x, axis}, {DType::I8, {}, quant(1.0f)}, drop),
                        {2}, {14, -13});  // 28 * 0.5, and -27 * 0.5 with ties upward.
  expect_tensor<int8_t>(run_quantized("reduce_max", {x, axis}, {DType::I8, {}, how}, drop), {2},
                        {20, 5});
  expect_unsupported(run_quantized("reduce_max", {x, axis}, {DType::I8, {}, quant(1.0f)}, drop));
}

TEST(ResizeQuantized, InterpolatesWithTenBits) {
  const auto how = quant(0.5f, 1);
  const Tensor x = quantized<int8_t>({1, 1, 2, 1}, {0, 10}, how);
  const TfliteCase test{.op = "RESIZE_BILINEAR",
                        .inputs = {x, vector_of<int32_t>({1, 4})},
                        .outputs = {{DType::I8, {1, 1, 4, 1}, how}},
                        .options = {{"half_pixel_centers", true}}};
  expect_tensor<int8_t>(run_tflite(test), {1, 1, 4, 1}, {0, 3, 8, 10});
}

TEST(ResizeTflite, NearestTakesThePixelBefore) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 1}, {1, 2});
  const TfliteCase test{.op = "RESIZE_NEAREST_NEIGHBOR",
                        .inputs = {x, vector_of<int32_t>({1, 4})},
                        .outputs = {{DType::F32, {1, 1, 4, 1}}}};
  expect_tensor<float>(run_tflite(test), {1, 1, 4, 1}, {1, 1, 2, 2});
}

TEST(MovementTflite, PadsWithTheZeroPoint) {
  const auto how = quant(0.5f, 7);
  const Tensor x = quantized<int8_t>({1, 2}, {1, 2}, how);
  expect_tensor<int8_t>(run_tflite({.op = "PAD",
                                    .inputs = {x, Tensor::of<int32_t>({2, 2}, {0, 0, 1, 2})},
                                    .outputs = {{DType::I8, {1, 5}, how}}}),
                        {1, 5}, {7, 1, 2, 7, 7});
}

TEST(MovementTflite, SlicesWithMasks) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  TfliteCase test{.op = "STRIDED_SLICE",
                  .inputs = {x, vector_of<int32_t>({-1, 9}), vector_of<int32_t>({0, 0}),
                             vector_of<int32_t>({1, -1})},
                  .outputs = {{DType::F32, {3}}},
                  .options = {{"shrink_axis_mask", int64_t{1}}, {"end_mask", int64_t{2}}}};
  expect_tensor<float>(run_tflite(test), {3}, {6, 5, 4});
  test.options["begin_mask"] = int64_t{1};
  expect_unsupported(import_case(test));
}

TEST(MovementTflite, PacksAndUnpacks) {
  const Tensor a = vector_of<float>({1, 2});
  const Tensor b = vector_of<float>({3, 4});
  expect_tensor<float>(run_tflite({.op = "PACK",
                                   .inputs = {a, b},
                                   .outputs = {{DType::F32, {2, 2}}},
                                   .options = {{"axis", int64_t{1}}},
                                   .computed = {0, 1}}),
                       {2, 2}, {1, 3, 2, 4});
  const auto parts = run_case({.op = "UNPACK",
                               .inputs = {Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
                               .outputs = {{DType::F32, {2}}, {DType::F32, {2}}},
                               .options = {{"axis", int64_t{0}}}});
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  expect_tensor<float>((*parts)[1].tensor, {2}, {3, 4});
}

TEST(MovementTflite, SpaceToBatchComesBack) {
  const Tensor x = Tensor::of<float>({1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensor block = vector_of<int32_t>({2, 2});
  const Tensor none = Tensor::of<int32_t>({2, 2}, {0, 0, 0, 0});
  const auto y = run_tflite({.op = "SPACE_TO_BATCH_ND",
                             .inputs = {x, block, none},
                             .outputs = {{DType::F32, {4, 1, 1, 1}}}});
  expect_tensor<float>(y, {4, 1, 1, 1}, {1, 2, 3, 4});
  expect_tensor<float>(run_tflite({.op = "BATCH_TO_SPACE_ND",
                                   .inputs = {*y, block, none},
                                   .outputs = {{DType::F32, {1, 2, 2, 1}}}}),
                       {1, 2, 2, 1}, {1, 2, 3, 4});
}

TEST(MovementTflite, RefusesWhatItCannotImport) {
  const Tensor x = vector_of<float>({1, 2});
  const TensorType y{DType::F32, {2}};
  const auto q = [](float scale) { return quantized<int8_t>({1}, {1}, quant(scale)); };
  expect_unsupported(import_case(
      {.op = "CONCATENATION", .inputs = {q(1), q(2)}, .outputs = {{DType::I8, {2}, quant(1)}}}));
  expect_bad_input(import_case({.op = "MIRROR_PAD",
                                .inputs = {x, Tensor::of<int32_t>({1, 2}, {1, 3})},
                                .outputs = {y},
                                .options = {{"mode", std::string("SYMMETRIC")}}}));
  expect_unsupported(import_case({.op = "GATHER",
                                  .inputs = {x, vector_of<int32_t>({0})},
                                  .outputs = {y},
                                  .options = {{"batch_dims", int64_t{1}}}}));
  expect_unsupported(import_case({.op = "TRANSPOSE",
                                  .inputs = {x, vector_of<int32_t>({0})},
                                  .outputs = {y},
                                  .computed = {0, 1}}));
  expect_bad_input(
      import_case({.op = "TRANSPOSE", .inputs = {x, vector_of<int32_t>({1})}, .outputs = {y}}));
}

}  // namespace
}  // namespace hone
