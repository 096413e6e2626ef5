#include "hone/quantize/recover/equalize.h"

#include <gtest/gtest.h>

#include <iostream>

#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

// How well one int8 scale for all serves the weights of every layer, the worst of them.
double worst_weight_sqnr(const Graph& graph) {
  double worst = 1e9;
  for (const ProductLayer& layer : layers_with_weights(graph)) {
    const auto w = layer.node->inputs[kLayerWeight]->constant->data<float>();
    for (size_t channel = 0; channel < layer.channels(); ++channel) {
      float top = 0;
      for (const float x : w) top = std::max(top, std::abs(x));
      double signal = 0;
      double noise = 0;
      for (size_t i = 0; i < layer.inputs; ++i) {
        const double x =
            w[layer.weight_at(channel / layer.outputs, channel % layer.outputs, i)] * 127.0 / top;
        signal += x * x;
        noise += (x - std::round(x)) * (x - std::round(x));
      }
      worst = std::min(worst, 10 * std::log10(signal / noise));
    }
  }
  return worst;
}

TEST(Equalize, KeepsTheNetworkAndEvensItsChannels) {
  Graph graph = small_mobilenet();
  const auto even = graph.clone();
  plant_bad_scales(graph, 100, 3);
  const auto before = graph.clone();
  const SampleSource samples = random_samples(graph, 4, 1);
  EXPECT_GT(sqnr_db(graph, *even, samples), 100);

  const auto report = equalize(graph);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->pairs, 7);  // Two in each of three blocks, and the last conv with the gemm.
  EXPECT_GT(report->worst_ratio_before, 1000);
  EXPECT_LT(report->worst_ratio_after, 10);
  EXPECT_LT(report->iterations, 50);
  EXPECT_GT(sqnr_db(graph, *before, samples), 100);
  EXPECT_GT(worst_weight_sqnr(graph), worst_weight_sqnr(*before) + 25);
}

double quantized_sqnr(const Graph& graph, const PlainQuantizer& quantizer) {
  return sqnr_db(quantize_plainly(graph, random_samples(graph, 16, 1), quantizer), graph,
                 random_samples(graph, 16, 2));
}

TEST(Equalize, WithSamplesDoesNotMakeUnequalActivationsWorseThanTheWeightsWere) {
  for (const bool planted : {false, true}) {
    const PlainQuantizer quantizer{.per_tensor = true};
    Graph graph = small_mobilenet(true);
    if (planted) plant_bad_scales(graph, 100, 3);
    const double plain = quantized_sqnr(graph, quantizer);
    const SampleSource samples = random_samples(graph, 16, 1);
    ASSERT_TRUE(equalize(graph, &samples).ok());
    const double equalized = quantized_sqnr(graph, quantizer);
    std::cout << plain << " -> " << equalized << " dB\n";
    EXPECT_GT(equalized, planted ? plain + 10 : plain - 1);
  }
}

TEST(Equalize, KeepsBoundedChannelsThatReachTheBound) {
  Graph graph = small_mobilenet(true);
  plant_bad_scales(graph, 100, 3);
  const auto before = graph.clone();
  const SampleSource samples = random_samples(graph, 8, 1);

  Graph without = std::move(*graph.clone());
  const auto nothing = equalize(without);
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing->pairs, 0);

  const auto report = equalize(graph, &samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->pairs, 7);
  EXPECT_EQ(report->relu6_replaced, 0);
  EXPECT_GT(sqnr_db(graph, *before, samples), 100);
  EXPECT_LT(report->worst_ratio_after, report->worst_ratio_before / 10);
}

TEST(Equalize, ReplacesBoundsWhenAsked) {
  Graph graph = small_mobilenet(true);
  const auto report = equalize(graph, nullptr, {.relu6_to_relu = true});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->pairs, 7);
  EXPECT_EQ(report->relu6_replaced, 7);
  Graph relu = small_mobilenet(false);
  EXPECT_GT(sqnr_db(graph, relu, random_samples(graph, 4, 1)), 0);
}

constexpr const char* kFused = R"(
  graph(%x: f32[1,6,6,2]) -> (%y) {
    const %v: f32[3,1,1,2] = {0.01 0.02 1 2 30 -20}
    const %b: f32[3] = {0.01 0.5 -9}
    const %w: f32[4,3,3,1] = {...}
    %a: f32[1,6,6,3] = conv(%x, %v, %b) layout="nhwc" activation="relu6"
    %y: f32[1,4,4,4] = conv(%a, %w, _) layout="nhwc"
  }
)";

TEST(Equalize, KnowsActivationsThatAreAttributesAndChannelsThatAreLast) {
  std::string text = kFused;
  const Tensor weights = random_floats({4, 3, 3, 3}, 1, 4);
  std::string numbers;
  for (const float x : weights.data<float>()) numbers += str(x, " ");
  text.replace(text.find("f32[4,3,3,1] = {...}"), 20, str("f32[4,3,3,3] = {", numbers, "}"));
  auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto before = graph->clone();
  const SampleSource samples = random_samples(*graph, 8, 1);
  const auto report = equalize(*graph, &samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->pairs, 1);
  EXPECT_GT(report->worst_ratio_before, 500);
  EXPECT_GT(sqnr_db(*graph, *before, samples), 100);
  // The widest channel reaches 6 and stays, the others come nearer.
  const auto w = graph->find_value("y")->producer->inputs[0]->producer->inputs[1]->constant;
  EXPECT_EQ(w->data<float>()[4], 30.0f);
  EXPECT_GT(w->data<float>()[0], 0.1f);
}

TEST(Equalize, LeavesValuesWithAnotherReaderAlone) {
  NetMaker net({1, 3, 8, 8});
  net.conv(8, 1);
  Value* shared = net.x;
  net.conv(8, 1);
  net.apply("add", {shared});
  Graph graph = net.finish();
  const auto report = equalize(graph);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->pairs, 0);
}

}  // namespace
}  // namespace hone
