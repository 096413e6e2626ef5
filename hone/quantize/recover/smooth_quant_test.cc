#include "hone/quantize/recover/smooth_quant.h"

#include <gtest/gtest.h>

#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

constexpr int64_t kTokens = 16;
constexpr int64_t kWidth = 32;

// A block before a transformer's attention: a norm and two projections. Three channels of the norm
// are `outlier` times the others, what reads them that much smaller.
Graph block(std::string_view norm, float outlier, bool residual) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, {1, kTokens, kWidth}));
  Tensor scale = random_floats({kWidth}, 0.1, 1);
  Tensor query = random_floats({kWidth, kWidth}, 0.2, 2);
  Tensor key = random_floats({kWidth, kWidth}, 0.2, 3);
  for (float& s : scale.mutable_data<float>()) s += 1;
  for (const size_t c : {3, 17, 20}) {
    scale.mutable_data<float>()[c] *= outlier;
    for (Tensor* w : {&query, &key}) {
      for (size_t o = 0; o < kWidth; ++o) w->mutable_data<float>()[c * kWidth + o] /= outlier;
    }
  }
  std::vector<Value*> inputs = {x, graph.add_constant("scale", scale)};
  if (norm == "layer_norm") {
    inputs.push_back(graph.add_constant("bias", random_floats({kWidth}, 0.1, 4)));
  }
  Value* n = add_inferred(graph, norm, inputs, {}, "norm", nullptr)->outputs[0];
  const auto project = [&](Tensor weights, const std::string& name) {
    Value* w = graph.add_constant(name + ".w", std::move(weights));
    return add_inferred(graph, "matmul", {n, w}, {}, name, nullptr)->outputs[0];
  };
  Value* sum =
      add_inferred(graph, "add", {project(query, "query"), project(key, "key")}, {}, "sum", nullptr)
          ->outputs[0];
  if (residual) sum = add_inferred(graph, "add", {sum, n}, {}, "around", nullptr)->outputs[0];
  graph.add_output(sum);
  EXPECT_TRUE(verify(graph).ok());
  return graph;
}

double quantized_sqnr(const Graph& graph, const SampleSource& samples) {
  return sqnr_db(quantize_plainly(graph, samples, {}), graph, samples);
}

void expect_smoothed(std::string_view norm) {
  Graph graph = block(norm, 100, false);
  const auto before = graph.clone();
  const SampleSource samples = random_samples(graph, 8, 1);
  const double plain = quantized_sqnr(graph, samples);
  const auto report = smooth_quant(graph, samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->places.size(), 1u);
  EXPECT_EQ(report->places[0].name, "norm");
  EXPECT_EQ(report->places[0].products, 2);
  EXPECT_GT(report->places[0].outliers_before, 50);
  EXPECT_LT(report->places[0].outliers_after, 5);
  EXPECT_EQ(report->muls_added, 0);
  EXPECT_GT(sqnr_db(graph, *before, samples), 100);
  EXPECT_GT(quantized_sqnr(graph, samples), plain + 15);
}

TEST(SmoothQuant, MovesOutliersOfALayerNormIntoTheWeights) {
  expect_smoothed("layer_norm");
}

TEST(SmoothQuant, MovesOutliersOfAnRmsNormIntoTheWeights) {
  expect_smoothed("rms_norm");
}

TEST(SmoothQuant, LeavesNormsThatASumReadsAloneUnlessAskedToUndo) {
  Graph graph = block("layer_norm", 100, true);
  const auto before = graph.clone();
  const SampleSource samples = random_samples(graph, 8, 1);
  const auto left = smooth_quant(graph, samples);
  ASSERT_TRUE(left.ok());
  EXPECT_TRUE(left->places.empty());
  EXPECT_EQ(left->left_alone, 1);

  const auto done = smooth_quant(graph, samples, {.undo_for_others = true});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->places.size(), 1u);
  EXPECT_EQ(done->muls_added, 1);
  EXPECT_GT(sqnr_db(graph, *before, samples), 100);
}

TEST(SmoothQuant, UsesTheConstantOfAMul) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, {8, 4}));
  Value* factor = graph.add_constant("factor", Tensor::scalar(2.0f));
  Value* m = add_inferred(graph, "mul", {x, factor}, {}, "mul", nullptr)->outputs[0];
  Value* w = graph.add_constant("w", Tensor::of<float>({4, 1}, {1, 0.1f, 0.01f, 0}));
  graph.add_output(add_inferred(graph, "gemm", {m, w}, {}, "gemm", nullptr)->outputs[0]);
  const auto before = graph.clone();
  const SampleSource samples = random_samples(graph, 4, 1);
  const auto report = smooth_quant(graph, samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->places.size(), 1u);
  EXPECT_GT(sqnr_db(graph, *before, samples), 100);
  const Node& mul = *graph.find_value("gemm")->producer->inputs[0]->producer;
  EXPECT_EQ(mul.inputs[1]->type.tensor.shape, Shape({4}));
}

TEST(SmoothQuant, RefusesWhatItCannotDo) {
  Graph graph = block("layer_norm", 10, false);
  EXPECT_EQ(smooth_quant(graph, {}).error().message,
            "no samples to take the ranges of channels from");
  EXPECT_EQ(smooth_quant(graph, random_samples(graph, 1, 1), {.alpha = 2}).error().message,
            "alpha is 2, expected 0 to 1");
}

}  // namespace
}  // namespace hone
