#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

const Attrs kExact{{"epsilon", 0.0}};

Tensor ones(int64_t n) {
  return vector_of<float>(std::vector<float>(static_cast<size_t>(n), 1));
}
Tensor zeros(int64_t n) {
  return vector_of<float>(std::vector<float>(static_cast<size_t>(n), 0));
}

TEST(BatchNorm, TakesBothLayouts) {
  const std::vector<Tensor> rest = {vector_of<float>({1, 2}), vector_of<float>({0, 1}),
                                    vector_of<float>({1, 2}), vector_of<float>({4, 1})};
  std::vector<Tensor> inputs = rest;
  inputs.insert(inputs.begin(), Tensor::of<float>({1, 2, 2}, {1, 3, 2, 3}));
  expect_tensor<float>(run_op("batch_norm", inputs, kExact), {1, 2, 2}, {0, 1, 1, 3});
  inputs[0] = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 3});
  Attrs nhwc = kExact;
  nhwc["layout"] = std::string("nhwc");
  expect_tensor<float>(run_op("batch_norm", inputs, nhwc), {1, 2, 2}, {0, 1, 1, 3});
  inputs[0] = Tensor::of<float>({0, 2}, {});
  expect_tensor<float>(run_op("batch_norm", inputs), {0, 2}, {});
  inputs[0] = Tensor::of<float>({1, 3}, {1, 2, 3});
  expect_bad_input(run_op("batch_norm", inputs));
}

TEST(BatchNorm, ReadsOldVersions) {
  const std::vector<Tensor> inputs = {Tensor::of<float>({1, 1}, {3}), ones(1), zeros(1), ones(1),
                                      ones(1)};
  expect_tensor<float>(run_onnx("BatchNormalization", 6, inputs,
                                {{"is_test", int64_t{1}},
                                 {"spatial", int64_t{1}},
                                 {"epsilon", 0.0},
                                 {"consumed_inputs", Ints{0, 0, 0, 1, 1}}}),
                       {1, 1}, {2});
  expect_unsupported(run_onnx("BatchNormalization", 7, inputs, {{"spatial", int64_t{0}}}));
}

TEST(LayerNorm, BroadcastsScaleAndRefusesOthers) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 3, -2, 2});
  expect_tensor<float>(
      run_op("layer_norm", {x, Tensor::scalar(2.0f), vector_of<float>({0, 1})}, kExact), {2, 2},
      {-2, 3, -2, 3});
  expect_bad_input(run_op("layer_norm", {x, ones(3)}));
  expect_bad_input(run_op("layer_norm", {x, ones(2)}, {{"axis", int64_t{2}}}));
  expect_unsupported(run_op("layer_norm", {x, ones(2)}, {{"stash_type", DType::I32}}));
  expect_tensor<float>(run_op("layer_norm", {Tensor::of<float>({2, 0}, {}), zeros(0)}), {2, 0}, {});
}

TEST(RmsNorm, DividesByTheRootMeanSquare) {
  expect_tensor<float>(run_op("rms_norm", {vector_of<float>({1, 7}), ones(2)}, kExact), {2},
                       {0.2f, 1.4f});
}

TEST(GroupNorm, HadScalesPerGroupBeforeOpset21) {
  const Tensor x = Tensor::of<float>({1, 4, 1}, {1, 3, 10, 30});
  const Tensor zero2 = zeros(2);
  const Attrs attrs{{"num_groups", int64_t{2}}, {"epsilon", 0.0}};
  expect_tensor<float>(
      run_onnx("GroupNormalization", 18, {x, vector_of<float>({1, 2}), zero2}, attrs), {1, 4, 1},
      {-1, 1, -2, 2});
  expect_tensor<float>(
      run_onnx("GroupNormalization", 21, {x, vector_of<float>({1, 2, 3, 4}), zeros(4)}, attrs),
      {1, 4, 1}, {-1, 2, -3, 4});
  expect_bad_input(run_onnx("GroupNormalization", 21, {x, ones(2), zero2}, attrs));
  expect_bad_input(run_op("group_norm", {x, ones(4), zeros(4)}, {{"num_groups", int64_t{3}}}));
  expect_bad_input(run_op("group_norm", {x, ones(4), zeros(4)}, {{"num_groups", int64_t{0}}}));
}

TEST(InstanceNorm, TakesNothing) {
  expect_tensor<float>(
      run_op("instance_norm", {Tensor::of<float>({1, 0, 2}, {}), zeros(0), zeros(0)}), {1, 0, 2},
      {});
  expect_bad_input(run_op("instance_norm", {vector_of<float>({1}), ones(1), ones(1)}));
}

TEST(Lrn, TakesHugeWindowsAndBothLayouts) {
  const Attrs attrs{{"alpha", 2.0}, {"beta", 1.0}, {"size", int64_t{2}}};
  Attrs nhwc = attrs;
  nhwc["layout"] = std::string("nhwc");
  // Each pixel of channel 0 sees channel 1, of channel 1 only itself.
  expect_tensor<float>(run_op("lrn", {Tensor::of<float>({1, 2, 1}, {2, 1})}, attrs), {1, 2, 1},
                       {2.0f / 6, 0.5});
  expect_tensor<float>(run_op("lrn", {Tensor::of<float>({1, 1, 2}, {2, 1})}, nhwc), {1, 1, 2},
                       {2.0f / 6, 0.5});
  const Tensor x = Tensor::of<float>({1, 2, 1}, {2, 1});
  EXPECT_TRUE(run_op("lrn", {x}, {{"size", INT64_MAX}}).ok());
  expect_bad_input(run_op("lrn", {x}, {{"size", int64_t{0}}}));
  expect_bad_input(run_op("lrn", {x}));
}

TEST(LpNorm, LeavesZerosZero) {
  const Tensor x = Tensor::of<float>({2, 2}, {3, -4, 0, 0});
  expect_tensor<float>(run_op("lp_norm", {x}), {2, 2}, {0.6f, -0.8f, 0, 0});
  expect_tensor<float>(run_op("lp_norm", {x}, {{"p", int64_t{1}}, {"axis", int64_t{0}}}), {2, 2},
                       {1, -1, 0, 0});
  expect_bad_input(run_op("lp_norm", {x}, {{"p", int64_t{3}}}));
}

TEST(MeanVarianceNorm, RefusesAxesOutside) {
  expect_bad_input(run_op("mean_variance_norm", {vector_of<float>({1})}));
  expect_tensor<float>(
      run_op("mean_variance_norm", {vector_of<float>({1, 3})}, {{"axes", Ints{0}}}), {2}, {-1, 1});
}

TEST(Dropout, IsIdentityUnlessTraining) {
  const Tensor x = vector_of<float>({1, 2});
  const Tensor half = Tensor::scalar(0.5f);
  expect_tensor<float>(run_op("dropout", {x}), {2}, {1, 2});
  expect_tensor<float>(run_op("dropout", {x, half, Tensor::scalar(false)}), {2}, {1, 2});
  expect_tensor<float>(run_op("dropout", {x, Tensor::scalar(0.0f), Tensor::scalar(true)}), {2},
                       {1, 2});
  expect_unsupported(run_op("dropout", {x, half, Tensor::scalar(true)}));
  expect_unsupported(run_op("dropout", {x, Tensor(), Tensor::scalar(true)}));
  expect_bad_input(run_op("dropout", {x, x}));
}

TEST(Dropout, ReadsOldVersions) {
  const Tensor x = vector_of<float>({1, 2});
  expect_tensor<float>(run_onnx("Dropout", 7, {x}, {{"ratio", 0.5}}), {2}, {1, 2});
  expect_tensor<float>(run_onnx("Dropout", 6, {x}, {{"ratio", 0.5}, {"is_test", int64_t{1}}}), {2},
                       {1, 2});
  expect_unsupported(run_onnx("Dropout", 6, {x}, {{"ratio", 0.5}}));
}

TEST(SkipLayerNorm, NormalizesASum) {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {1, 2});
  const Tensor skip = Tensor::of<float>({1, 1, 2}, {0, 2});
  const Tensor gamma = vector_of<float>({10, 10});
  const Tensor beta = vector_of<float>({1, 1});
  const Tensor bias = vector_of<float>({1, 0});
  // Sums of (2, 4): deviations -1 and 1.
  expect_tensor<float>(run_ort("SkipLayerNormalization", {x, skip, gamma, beta, bias}), {1, 1, 2},
                       {-9, 11});
  // Sums of (1, 7), whose root mean square is 5.
  const Tensor other = Tensor::of<float>({1, 1, 2}, {0, 5});
  expect_tensor<float>(run_ort("SkipSimplifiedLayerNormalization", {x, other, gamma}), {1, 1, 2},
                       {2, 14});
  expect_bad_input(run_ort("SkipLayerNormalization", {x, skip}));
}

TEST(EmbedLayerNorm, AddsEmbeddingsByIndex) {
  const Tensor ids = Tensor::of<int32_t>({1, 2}, {1, 0});
  const Tensor segments = Tensor::of<int32_t>({1, 2}, {0, 1});
  const Tensor words = Tensor::of<float>({2, 2}, {0, 0, 2, 4});
  const Tensor positions = Tensor::of<float>({3, 2}, {1, 1, 5, 3, 9, 9});
  const Tensor kinds = Tensor::of<float>({2, 2}, {0, 0, 0, 4});
  const Tensor gamma = vector_of<float>({1, 1});
  const Tensor beta = vector_of<float>({0, 0});
  // Sums (3, 5) and (5, 7).
  expect_tensor<float>(
      run_ort("EmbedLayerNormalization", {ids, segments, words, positions, kinds, gamma, beta}),
      {1, 2, 2}, {-1, 1, -1, 1});
  expect_bad_input(
      run_ort("EmbedLayerNormalization", {ids, Tensor(), words, positions, kinds, gamma, beta}));
}

}  // namespace
}  // namespace hone
