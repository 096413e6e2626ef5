#include "hone/quantize/recover/adaround.h"

#include <gtest/gtest.h>

#include "hone/quantize/recover/recover_testing.h"
#include "hone/quantize/recover/weight_codes.h"

namespace hone {
namespace {

// Convolutions, one of them depthwise, and a matrix.
Graph some_layers() {
  NetMaker net({1, 3, 12, 12});
  net.conv(12, 3);
  net.apply("relu");
  net.conv(12, 3, 2, true);
  net.apply("relu");
  net.conv(16, 1);
  net.apply("relu");
  net.apply("global_average_pool");
  net.apply("flatten");
  net.gemm(10);
  return net.finish();
}

TEST(Adaround, BringsTheResultNearerOnSamplesItHasNotSeen) {
  const Graph graph = some_layers();
  const SampleSource samples = random_samples(graph, 32, 1);
  const SampleSource unseen = random_samples(graph, 32, 2);
  for (const int levels : {1, 2, 100}) {
    Graph quantized = quantize_plainly(graph, samples, {.bits = 3});
    const double before = sqnr_db(quantized, graph, unseen);
    const auto report = adaround(quantized, graph, samples, {.levels_per_pass = levels});
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->layers.size(), 4u);
    EXPECT_EQ(report->passes, levels == 1 ? 4 : levels == 2 ? 2 : 1);
    for (const RoundedLayer& layer : report->layers) {
      EXPECT_LT(layer.error_after, layer.error_before) << layer.name;
      EXPECT_GT(layer.flips, 0) << layer.name;
      EXPECT_LT(layer.flips, layer.weights / 2) << layer.name;
    }
    EXPECT_GT(sqnr_db(quantized, graph, unseen), before + (levels == 1 ? 6 : 4)) << levels;
  }
}

TEST(Adaround, RoundsUpOrDownAndNoFurther) {
  const Graph graph = some_layers();
  const SampleSource samples = random_samples(graph, 8, 1);
  Graph quantized = quantize_plainly(graph, samples, {.bits = 4});
  ASSERT_TRUE(adaround(quantized, graph, samples).ok());
  for (const LayerPair& pair : match_layers(quantized, graph).pairs) {
    const auto codes = read_codes(*pair.quantized.dequantize());
    ASSERT_TRUE(codes.ok());
    const auto w = pair.original.node->inputs[kLayerWeight]->constant->data<float>();
    for (size_t i = 0; i < w.size(); ++i) {
      EXPECT_LT(std::abs(static_cast<float>(codes->codes[i]) - w[i] / codes->scales[i]), 1.0001f);
    }
  }
}

TEST(Adaround, LearnsMeansWhereThereIsNoBias) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, {1, 32, 16}));
  Value* w = graph.add_constant("w", random_floats({16, 8}, 0.3, 2));
  Value* r = add_inferred(graph, "relu", {x}, {}, "relu", nullptr)->outputs[0];
  graph.add_output(add_inferred(graph, "matmul", {r, w}, {}, "product", nullptr)->outputs[0]);
  const SampleSource samples = random_samples(graph, 32, 1);
  Graph quantized = quantize_plainly(graph, samples, {.bits = 3});
  const double before = sqnr_db(quantized, graph, samples);
  const auto report = adaround(quantized, graph, samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->layers.size(), 1u);
  EXPECT_GT(sqnr_db(quantized, graph, samples), before + 3);
}

// Weights of four bits in blocks of four along the inputs of a gemm.
Graph quantize_in_blocks(const Graph& original) {
  Graph graph = std::move(*original.clone());
  for (const ProductLayer& layer : layers_with_weights(graph)) {
    if (layer.node->op != "gemm") continue;
    Node& node = *layer.node;
    const Tensor weight = *node.inputs[kLayerWeight]->constant;
    const auto w = weight.data<float>();
    std::vector<float> scales;
    std::vector<int8_t> codes;
    for (size_t i = 0; i < w.size(); i += 4) {
      float top = 1e-9f;
      for (size_t j = i; j < i + 4; ++j) top = std::max(top, std::abs(w[j]));
      scales.push_back(top / 7);
      for (size_t j = i; j < i + 4; ++j) {
        codes.push_back(static_cast<int8_t>(std::round(w[j] / scales.back())));
      }
    }
    Shape shape = weight.shape();
    Value* q = graph.add_constant("q", pack_small(TensorType{DType::I4, shape}, codes));
    shape[1] /= 4;
    Value* scale = graph.add_constant("scale", Tensor::of<float>(shape, scales));
    Node* dequantize =
        add_inferred(graph, "dequantize_linear", {q, scale},
                     {{"axis", int64_t{1}}, {"block_size", int64_t{4}}}, "dq", &node);
    graph.set_input(&node, kLayerWeight, dequantize->outputs[0]);
  }
  return graph;
}

TEST(Adaround, KnowsFourBitsAndBlocks) {
  const Graph graph = some_layers();
  const SampleSource samples = random_samples(graph, 32, 1);
  Graph quantized = quantize_in_blocks(graph);
  const double before = sqnr_db(quantized, graph, samples);
  const auto report = adaround(quantized, graph, samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->layers.size(), 1u);
  EXPECT_GT(report->layers[0].flips, 0);
  EXPECT_GT(sqnr_db(quantized, graph, samples), before + 3);
}

TEST(Adaround, NamesTheLayersItSkips) {
  const Graph graph = some_layers();
  const SampleSource samples = random_samples(graph, 2, 1);
  Graph quantized = quantize_plainly(graph, samples, {});
  const auto report = adaround(quantized, graph, samples, {.memory_bytes = 1 << 16});
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->skipped.empty());
  EXPECT_TRUE(report->skipped[0].reason.starts_with("its sums take ")) << report->skipped[0].reason;
  EXPECT_EQ(report->layers.size() + report->skipped.size(), 4u);
}

TEST(Adaround, RefusesWhatItCannotDo) {
  const Graph graph = some_layers();
  Graph quantized = quantize_plainly(graph, random_samples(graph, 1, 1), {});
  EXPECT_EQ(adaround(quantized, graph, {}).error().message, "no samples to round the weights for");
  EXPECT_FALSE(adaround(quantized, graph, random_samples(graph, 1, 1), {.rows = 0}).ok());
}

}  // namespace
}  // namespace hone
