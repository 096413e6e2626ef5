#include "hone/quantize/recover/pair_noise.h"

#include <gtest/gtest.h>

#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

// Two layers and their samples.
struct Net {
  Graph graph;
  SampleSource samples;
  std::vector<ScaledLayer> layers;
  std::vector<double> largest;
};

Net make_net() {
  NetMaker maker({1, 8, 12, 12});
  maker.conv(24, 1);
  maker.apply("relu");
  maker.conv(16, 1);
  Net net{maker.finish(), {}, {}, {}};
  net.samples = random_samples(net.graph, 8, 1);
  net.layers = load_scaled(net.graph);
  Probe probe(net.graph);
  for (ScaledLayer& layer : net.layers) {
    probe.see(*layer.layer.node->inputs[kLayerData]);
    layer.input_squares.assign(layer.input_count(), 0);
  }
  net.largest.resize(24);
  for (int64_t i = 0; i < net.samples.count; ++i) {
    const auto seen = probe.run(net.samples, i);
    EXPECT_TRUE(seen.ok());
    for (size_t l = 0; l < 2; ++l) {
      const auto x = (**seen)[l].tensor.data<float>();
      for (size_t j = 0; j < x.size(); ++j) {
        net.layers[l].input_squares[j / 144] += double{x[j]} * x[j] / (144 * 8);
        if (l == 1) net.largest[j / 144] = std::max(net.largest[j / 144], double{x[j]});
      }
    }
  }
  return net;
}

// The mean squared error of the quantized pair, over outputs and pixels.
double measured_noise(const Net& net, const std::vector<double>& factors, int bits,
                      bool per_channel) {
  Graph graph = std::move(*net.graph.clone());
  std::vector<ScaledLayer> layers = load_scaled(graph);
  for (size_t c = 0; c < factors.size(); ++c) {
    divide_out(layers[0], c, factors[c]);
    multiply_in(layers[1], c, factors[c]);
  }
  for (const ScaledLayer& layer : layers) store_scaled(graph, layer);
  const Graph quantized =
      quantize_plainly(graph, net.samples, {.bits = bits, .per_tensor = !per_channel});
  double square = 0;
  Probe probe(graph);
  probe.see(*graph.outputs()[0]);
  for (int64_t i = 0; i < net.samples.count; ++i) {
    const auto seen = probe.run(net.samples, i);
    for (const float y : (**seen)[0].tensor.data<float>()) square += double{y} * y / (144 * 8);
  }
  return square * std::pow(10, -sqnr_db(quantized, graph, net.samples) / 10);
}

// Up to the third that a relu cuts off, which is taken as if it came through.
TEST(PairNoise, IsAboutWhatQuantizingAdds) {
  const Net net = make_net();
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> next(-1, 1);
  std::vector<double> directions(24);
  for (double& d : directions) d = next(random);
  for (const bool per_channel : {false, true}) {
    for (const double spread : {1.0, 3.0, 10.0}) {
      std::vector<double> factors;
      for (const double d : directions) factors.push_back(std::pow(spread, d));
      const double predicted = pair_noise(net.layers[0], net.layers[1], net.largest, factors,
                                          {.weight_bits = 5, .per_channel = per_channel});
      const double measured = measured_noise(net, factors, 5, per_channel);
      EXPECT_LT(predicted, 1.8 * measured) << per_channel << " " << spread;
      EXPECT_GT(predicted, 0.8 * measured) << per_channel << " " << spread;
    }
  }
}

}  // namespace
}  // namespace hone
