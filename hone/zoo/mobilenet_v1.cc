// "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications" (2017),
// table 1.

#include "hone/zoo/mobilenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct MobilenetV1Variant {
  std::string_view name;
  int64_t resolution;
  int64_t classes;
  MobileNetV1Options options;
};

struct MobilenetV1Block {
  int64_t channels;
  int64_t stride;
};
constexpr MobilenetV1Block kBlocks[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                        {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                        {512, 1}, {1024, 2}, {1024, 1}};

Graph build_mobilenet_v1(const MobilenetV1Variant& variant, uint64_t seed) {
  NetworkBuilder b(variant.name, seed);
  Value* x = b.input("input", {1, 3, variant.resolution, variant.resolution});
  x = mobilenet_v1_blocks(b, x, variant.options).back();
  x = b.flatten(b.global_average_pool(x, "pool"), "flatten");
  x = b.linear(x, variant.classes, "classifier");
  return b.finish(b.softmax(x, "softmax"), "output");
}

template <int percent>
Graph build_imagenet(uint64_t seed) {
  constexpr std::string_view kName = percent == 25   ? "mobilenet_v1_025"
                                     : percent == 50 ? "mobilenet_v1_050"
                                     : percent == 75 ? "mobilenet_v1_075"
                                                     : "mobilenet_v1";
  return build_mobilenet_v1({kName, 224, 1000, {.alpha = percent / 100.0}}, seed);
}

// The reference has plain relu, and biases in front of the batch norms.
Graph build_wake_words(uint64_t seed) {
  const MobileNetV1Options options = {
      .alpha = 0.25, .activation = Nonlinearity::Relu, .conv_bias = true};
  return build_mobilenet_v1({"mobilenet_v1_025_96", 96, 2, options}, seed);
}

}  // namespace

std::vector<Value*> mobilenet_v1_blocks(NetworkBuilder& b, Value* image,
                                        const MobileNetV1Options& options) {
  const auto scaled = [&](int64_t channels) {
    return static_cast<int64_t>(static_cast<double>(channels) * options.alpha);
  };
  const auto layer = [&](Value* x, Conv conv, const std::string& name) {
    conv.padding = Padding::Same;
    conv.bias = options.conv_bias;
    return b.conv_bn(x, conv, options.activation, name, 1e-3);
  };
  std::vector<Value*> results;
  Value* x = layer(image, {.channels = scaled(32), .kernel = 3, .stride = 2}, "stem");
  for (const MobilenetV1Block& block : kBlocks) {
    const std::string name = str("block.", results.size());
    const int64_t inputs = NetworkBuilder::channels(x);
    x = layer(x, {.channels = inputs, .kernel = 3, .stride = block.stride, .groups = inputs},
              name + ".depthwise");
    x = layer(x, {.channels = scaled(block.channels)}, name + ".pointwise");
    results.push_back(x);
  }
  return results;
}

// Figures of the four ImageNet networks: MACs from table 6 of the paper, parameters, which
// it rounds to 0.1 M, from mobilenet_v1.md in tensorflow/models (research/slim/nets). That page has
// 317 MMACs for alpha 0.75, which are too few for its layers; the paper has 325.
extern const NetworkDef network_mobilenet_v1 = {
    .name = "mobilenet_v1",
    .summary = "MobileNet v1 (2017), alpha 1.0, ImageNet, 224x224.",
    .published_parameters = 4.24e6,
    .published_macs = 569e6,
    .build = build_imagenet<100>,
};

extern const NetworkDef network_mobilenet_v1_075 = {
    .name = "mobilenet_v1_075",
    .summary = "MobileNet v1 (2017), alpha 0.75, ImageNet, 224x224.",
    .published_parameters = 2.59e6,
    .published_macs = 325e6,
    .build = build_imagenet<75>,
};

extern const NetworkDef network_mobilenet_v1_050 = {
    .name = "mobilenet_v1_050",
    .summary = "MobileNet v1 (2017), alpha 0.5, ImageNet, 224x224.",
    .published_parameters = 1.34e6,
    .published_macs = 149e6,
    .build = build_imagenet<50>,
};

extern const NetworkDef network_mobilenet_v1_025 = {
    .name = "mobilenet_v1_025",
    .summary = "MobileNet v1 (2017), alpha 0.25, ImageNet, 224x224.",
    .published_parameters = 0.47e6,
    .published_macs = 41e6,
    .build = build_imagenet<25>,
};

// mlcommons/tiny, training/visual_wake_words/vww_model.py. Counted by hand from its layers, without
// the batch norms' statistics. Its published .tflite file, with the norms folded, is about the
// size of the 210,850 numbers that leaves.
extern const NetworkDef network_mobilenet_v1_025_96 = {
    .name = "mobilenet_v1_025_96",
    .summary = "Visual wake words of MLPerf Tiny: MobileNet v1, alpha 0.25, 96x96, 2 classes.",
    .published_parameters = 216322,
    .published_macs = 7489664,
    .build = build_wake_words,
};

}  // namespace hone
