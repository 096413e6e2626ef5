// For tests of accuracy recovery: small networks of random weights, flaws planted in them, and a
// plain quantizer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "hone/passes/match.h"
#include "hone/quantize/recover/layer.h"
#include "hone/quantize/recover/layer_chain.h"
#include "hone/quantize/recover/probe.h"
#include "hone/quantize/sample_source.h"

namespace hone {

inline Tensor random_floats(Shape shape, double deviation, uint64_t seed) {
  Tensor tensor(TensorType{DType::F32, std::move(shape)});
  std::mt19937_64 random(seed);
  std::normal_distribution<float> next(0, static_cast<float>(deviation));
  for (float& x : tensor.mutable_data<float>()) x = next(random);
  return tensor;
}

// Smooth waves and a little noise: neighbours are alike, as in pictures.
inline Tensor random_picture(const Shape& shape, uint64_t seed) {
  Tensor picture = random_floats(shape, 0.3, seed);
  const auto x = picture.mutable_data<float>();
  const auto width = static_cast<size_t>(shape.back());
  const size_t plane = shape.size() == 4 ? width * static_cast<size_t>(shape[2]) : width;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> next(0, 1);
  for (size_t begin = 0; begin < x.size(); begin += plane) {
    for (int wave = 0; wave < 3; ++wave) {
      const double u = next(random), v = next(random), phase = 6.28 * next(random);
      for (size_t i = 0; i < plane; ++i) {
        const double at = u * static_cast<double>(i % width) + v * static_cast<double>(i / width);
        x[begin + i] += static_cast<float>(0.7 * std::cos(at + phase));
      }
    }
  }
  return picture;
}

inline SampleSource samples_of(std::vector<Tensor> inputs) {
  const auto count = static_cast<int64_t>(inputs.size());
  return {count, [inputs = std::move(inputs)](int64_t i) -> Result<std::vector<Item>> {
            return std::vector<Item>{inputs[static_cast<size_t>(i)]};
          }};
}

// For a graph of one input; sets of samples differ by their seed.
inline SampleSource random_samples(const Graph& graph, int64_t count, uint64_t seed) {
  std::vector<Tensor> pictures;
  for (int64_t i = 0; i < count; ++i) {
    pictures.push_back(random_picture(graph.inputs()[0]->type.tensor.shape,
                                      seed * 1000 + static_cast<uint64_t>(i)));
  }
  return samples_of(std::move(pictures));
}

// Adds layers with weights that keep the size of activations, and biases.
class NetMaker {
 public:
  explicit NetMaker(Shape input, uint64_t seed = 1) : seed_(seed) {
    x = graph.add_input("x", ValueType(DType::F32, std::move(input)));
  }

  void conv(int64_t channels, int64_t kernel, int64_t stride = 1, bool depthwise = false) {
    const int64_t inputs = x->type.tensor.shape[1];
    const int64_t per_group = depthwise ? 1 : inputs;
    const int64_t pad = kernel / 2;
    Attrs attrs = {{"group", depthwise ? inputs : int64_t{1}},
                   {"pads", Ints{pad, pad, pad, pad}},
                   {"strides", Ints{stride, stride}}};
    add_layer("conv", {channels, per_group, kernel, kernel}, per_group * kernel * kernel,
              std::move(attrs));
  }
  void gemm(int64_t channels) {
    const int64_t inputs = x->type.tensor.shape[1];
    add_layer("gemm", {channels, inputs}, inputs, {{"transB", int64_t{1}}});
  }
  void apply(std::string_view op, std::vector<Value*> more = {}) {
    more.insert(more.begin(), x);
    x = add_inferred(graph, op, std::move(more), {}, str(op, count_++), nullptr)->outputs[0];
  }
  void relu6() {
    apply("clip", {graph.add_constant("low", Tensor::scalar(0.0f)),
                   graph.add_constant("high", Tensor::scalar(6.0f))});
  }
  Graph finish() {
    graph.add_output(x);
    EXPECT_TRUE(verify(graph).ok());
    return std::move(graph);
  }

  Graph graph;
  Value* x;

 private:
  void add_layer(std::string_view op, Shape weights, int64_t fan_in, Attrs attrs) {
    const std::string name = str(op, count_++);
    const int64_t channels = weights[0];
    const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in));
    std::vector<Value*> inputs = {
        x, graph.add_constant(name + ".w", random_floats(std::move(weights), deviation, seed_++)),
        graph.add_constant(name + ".b", random_floats({channels}, 0.2, seed_++))};
    x = add_inferred(graph, op, std::move(inputs), std::move(attrs), name, nullptr)->outputs[0];
  }

  uint64_t seed_;
  int count_ = 0;
};

// An image network of inverted residuals, as MobileNet v2 has them.
inline Graph small_mobilenet(bool relu6 = false, int64_t size = 24) {
  NetMaker net({1, 3, size, size});
  const auto activate = [&] { relu6 ? net.relu6() : net.apply("relu"); };
  net.conv(16, 3, 2);
  activate();
  for (int block = 0; block < 3; ++block) {
    Value* before = net.x;
    net.conv(64, 1);
    activate();
    net.conv(64, 3, 1, true);
    activate();
    net.conv(16, 1);
    net.apply("add", {before});
  }
  net.conv(64, 1);
  activate();
  net.apply("global_average_pool");
  net.apply("flatten");
  net.gemm(20);
  return net.finish();
}

// Scales channels between layers that follow each other by factors up to sqrt(spread) down and up
// and undoes it in the second layer: the network computes the same and is hard to quantize.
inline void plant_bad_scales(Graph& graph, double spread, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> next(-0.5, 0.5);
  const std::vector<ProductLayer> layers = layers_with_weights(graph);
  for (const LayerChain& chain : find_chains(graph, layers)) {
    const ProductLayer& first = layers[chain.first];
    const ProductLayer& second = layers[chain.second];
    const InputChannels in = input_channels(second);
    Tensor before = *first.node->inputs[kLayerWeight]->constant;
    Tensor bias = *first.node->inputs[kLayerBias]->constant;
    Tensor after = *second.node->inputs[kLayerWeight]->constant;
    for (size_t c = 0; c < first.channels(); ++c) {
      const auto s = static_cast<float>(std::pow(spread, next(random)));
      for (size_t i = 0; i < first.inputs; ++i) {
        before.mutable_data<float>()[first.weight_at(c / first.outputs, c % first.outputs, i)] *= s;
      }
      bias.mutable_data<float>()[c] *= s;
      for (size_t o = 0; o < second.outputs; ++o) {
        for (size_t t = 0; t < in.taps; ++t) {
          const size_t input = in.input_at(c % in.per_group, t);
          after.mutable_data<float>()[second.weight_at(c / in.per_group, o, input)] /= s;
        }
      }
    }
    set_constant(graph, *first.node, kLayerWeight, "planted", before);
    set_constant(graph, *first.node, kLayerBias, "planted", bias);
    set_constant(graph, *second.node, kLayerWeight, "planted", after);
  }
}

struct PlainQuantizer {
  int bits = 8;             // Of weights; codes are int8 either way.
  bool per_tensor = false;  // Else one scale per output channel.
  bool activations = true;  // To int8.
};

struct ValueRange {
  float low = 0;  // 0 is always in it.
  float high = 0;
};

// Of what each layer reads.
inline std::vector<ValueRange> input_ranges(const Graph& graph,
                                            const std::vector<ProductLayer>& layers,
                                            const SampleSource& samples) {
  Probe probe(graph);
  for (const ProductLayer& layer : layers) probe.see(*layer.node->inputs[kLayerData]);
  std::vector<ValueRange> ranges(layers.size());
  for (int64_t i = 0; i < samples.count; ++i) {
    const auto seen = probe.run(samples, i);
    EXPECT_TRUE(seen.ok()) << seen.error().message;
    for (size_t l = 0; l < layers.size(); ++l) {
      for (const float x : (**seen)[l].tensor.data<float>()) {
        ranges[l] = {std::min(ranges[l].low, x), std::max(ranges[l].high, x)};
      }
    }
  }
  return ranges;
}

inline Value* add_dequantized(Graph& graph, Node& node, const std::string& name, Tensor codes,
                              const std::vector<float>& scales, int64_t axis) {
  const auto n = static_cast<int64_t>(scales.size());
  Value* q = graph.add_constant(name + ".q", std::move(codes));
  Value* scale = graph.add_constant(
      name + ".scale", n == 1 ? Tensor::scalar(scales[0]) : Tensor::of<float>({n}, scales));
  return add_inferred(graph, "dequantize_linear", {q, scale}, {{"axis", axis}}, name + ".dq", &node)
      ->outputs[0];
}

inline float quantize_input(Graph& graph, Node& node, const ValueRange& range) {
  const float scale = std::max((range.high - range.low) / 255, 1e-9f);
  const auto zero =
      static_cast<int8_t>(std::clamp(std::round(-128 - range.low / scale), -128.0f, 127.0f));
  const std::string name = node.name + ".x";
  Value* s = graph.add_constant(name + ".scale", Tensor::scalar(scale));
  Value* z = graph.add_constant(name + ".zero", Tensor::scalar(zero));
  Node* q = add_inferred(graph, "quantize_linear", {node.inputs[kLayerData], s, z}, {}, name + ".q",
                         &node);
  Node* dq =
      add_inferred(graph, "dequantize_linear", {q->outputs[0], s, z}, {}, name + ".dq", &node);
  graph.set_input(&node, kLayerData, dq->outputs[0]);
  return scale;
}

inline void quantize_layer(Graph& graph, const ProductLayer& layer, const PlainQuantizer& options,
                           float x_scale) {
  Node& node = *layer.node;
  const Tensor weight = *node.inputs[kLayerWeight]->constant;
  const auto top = static_cast<float>((1 << (options.bits - 1)) - 1);
  std::vector<float> scales(layer.channels(), 1e-9f);
  const auto channel = [&](size_t i) {
    return layer.input_stride == 1 ? i / layer.inputs : i % layer.outputs;
  };
  const auto w = weight.data<float>();
  for (size_t i = 0; i < w.size(); ++i) {
    scales[channel(i)] = std::max(scales[channel(i)], std::abs(w[i]) / top);
  }
  if (options.per_tensor) std::ranges::fill(scales, *std::ranges::max_element(scales));
  Tensor codes(TensorType{DType::I8, weight.shape()});
  for (size_t i = 0; i < w.size(); ++i) {
    codes.mutable_data<int8_t>()[i] = static_cast<int8_t>(std::round(w[i] / scales[channel(i)]));
  }
  const std::vector<float> written = options.per_tensor ? std::vector<float>{scales[0]} : scales;
  graph.set_input(&node, kLayerWeight,
                  add_dequantized(graph, node, node.name + ".w", std::move(codes), written,
                                  layer.input_stride == 1 ? 0 : 1));
  const Value* bias = input_of(node, kLayerBias);
  if (bias == nullptr || !options.activations) return;
  Tensor steps(TensorType{DType::I32, bias->constant->shape()});
  for (size_t c = 0; c < scales.size(); ++c) {
    scales[c] *= x_scale;
    steps.mutable_data<int32_t>()[c] =
        static_cast<int32_t>(std::round(bias->constant->data<float>()[c] / scales[c]));
  }
  graph.set_input(&node, kLayerBias,
                  add_dequantized(graph, node, node.name + ".b", std::move(steps), scales, 0));
}

// Weights, biases and inputs of all layers, in Q/DQ form.
inline Graph quantize_plainly(const Graph& original, const SampleSource& samples,
                              const PlainQuantizer& options) {
  Graph graph = std::move(*original.clone());
  const std::vector<ProductLayer> layers = layers_with_weights(graph);
  std::vector<ValueRange> ranges(layers.size());
  if (options.activations) ranges = input_ranges(graph, layers, samples);
  for (size_t i = 0; i < layers.size(); ++i) {
    const float scale =
        options.activations ? quantize_input(graph, *layers[i].node, ranges[i]) : 1.0f;
    quantize_layer(graph, layers[i], options, scale);
  }
  graph.remove_unused_constants();
  EXPECT_TRUE(verify(graph).ok());
  return graph;
}

// The outputs of `graph` compared with those of `original` over the samples, in decibels.
inline double sqnr_db(const Graph& graph, const Graph& original, const SampleSource& samples) {
  Probe actual(graph);
  Probe expected(original);
  actual.see(*graph.outputs()[0]);
  expected.see(*original.outputs()[0]);
  double signal = 0;
  double noise = 0;
  for (int64_t i = 0; i < samples.count; ++i) {
    const auto a = actual.run(samples, i);
    const auto e = expected.run(samples, i);
    EXPECT_TRUE(a.ok() && e.ok());
    const auto x = (**a)[0].tensor.data<float>();
    const auto y = (**e)[0].tensor.data<float>();
    for (size_t j = 0; j < y.size(); ++j) {
      signal += double{y[j]} * y[j];
      noise += (double{x[j]} - y[j]) * (double{x[j]} - y[j]);
    }
  }
  return 10 * std::log10(signal / std::max(noise, 1e-300));
}

}  // namespace hone
