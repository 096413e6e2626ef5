#include "hone/quantize/recover/correct_bias.h"

#include <gtest/gtest.h>

#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

// The mean of each channel of the graph's result, an image or a matrix.
std::vector<double> channel_means(const Graph& graph, const SampleSource& samples) {
  Probe probe(graph);
  probe.see(*graph.outputs()[0]);
  const auto channels = static_cast<size_t>(graph.outputs()[0]->type.tensor.shape[1]);
  std::vector<double> means(channels);
  for (int64_t i = 0; i < samples.count; ++i) {
    const auto seen = probe.run(samples, i);
    EXPECT_TRUE(seen.ok());
    const auto y = (**seen)[0].tensor.data<float>();
    for (size_t j = 0; j < y.size(); ++j) {
      means[j * channels / y.size()] +=
          y[j] * static_cast<double>(channels) /
          static_cast<double>(y.size() * static_cast<size_t>(samples.count));
    }
  }
  return means;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Two layers; the second without a bias.
Graph two_layers() {
  NetMaker net({1, 3, 10, 10});
  net.conv(8, 3);
  net.apply("relu");
  net.conv(8, 3);
  Graph graph = net.finish();
  graph.set_input(graph.outputs()[0]->producer, kLayerBias, nullptr);
  graph.remove_unused_constants();
  return graph;
}

TEST(CorrectBias, InOrderMakesTheMeansOfTheResultThoseOfTheFloatNetwork) {
  const Graph graph = two_layers();
  const SampleSource samples = random_samples(graph, 8, 1);
  Graph quantized = quantize_plainly(graph, samples, {.bits = 3});
  const auto wanted = channel_means(graph, samples);
  const double before = largest_difference(channel_means(quantized, samples), wanted);
  const auto report = correct_bias(quantized, graph, samples);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->layers.size(), 2u);
  EXPECT_TRUE(report->skipped.empty());
  EXPECT_EQ(report->passes, 3);
  const double after = largest_difference(channel_means(quantized, samples), wanted);
  EXPECT_GT(before, 0.05);
  EXPECT_LT(after, 0.002);  // A unit of the bias is 0.003.

  const Value* bias = quantized.outputs()[0]->producer->inputs[kLayerBias];
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->producer->op, "dequantize_linear");
  EXPECT_EQ(bias->producer->inputs[0]->constant->dtype(), DType::I32);
}

TEST(CorrectBias, LocalTakesOutWhatRoundedWeightsAdd) {
  const Graph graph = two_layers();
  const SampleSource samples = random_samples(graph, 8, 1);
  // Without activations to quantize nothing but weights is in error.
  Graph quantized = quantize_plainly(graph, samples, {.bits = 3, .activations = false});
  const auto wanted = channel_means(graph, samples);
  const double before = largest_difference(channel_means(quantized, samples), wanted);
  const auto report = correct_bias(quantized, graph, samples, {.way = BiasOptions::Way::Local});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->passes, 1);
  const double after = largest_difference(channel_means(quantized, samples), wanted);
  EXPECT_LT(after, before / 3);
  EXPECT_TRUE(quantized.outputs()[0]->producer->inputs[kLayerBias]->constant);
}

TEST(CorrectBias, NamesTheLayersItSkips) {
  const Graph graph = two_layers();
  const SampleSource samples = random_samples(graph, 2, 1);
  Graph quantized = quantize_plainly(graph, samples, {});
  quantized.outputs()[0]->producer->name = "other";
  quantized.rename(quantized.outputs()[0], "another");
  const auto report = correct_bias(quantized, graph, samples);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->layers.size(), 1u);
  ASSERT_EQ(report->skipped.size(), 1u);
  EXPECT_EQ(report->skipped[0].name, "other");
  EXPECT_EQ(report->skipped[0].reason, "no such layer in the float graph");
}

TEST(CorrectBias, NeedsSamples) {
  const Graph graph = two_layers();
  Graph quantized = quantize_plainly(graph, random_samples(graph, 1, 1), {});
  EXPECT_EQ(correct_bias(quantized, graph, {}).error().message,
            "no samples to take the means of layers from");
}

}  // namespace
}  // namespace hone
