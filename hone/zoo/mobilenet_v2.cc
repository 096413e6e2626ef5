// "MobileNetV2: Inverted Residuals and Linear Bottlenecks" (2018), table 2, with torchvision's
// names.

#include <algorithm>

#include "hone/zoo/mobilenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct MobilenetV2Stage {
  int64_t expansion;
  int64_t channels;
  int repeats;
  int64_t stride;
};
constexpr MobilenetV2Stage kMobilenetV2Stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                                                   {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                                                   {6, 320, 1, 1}};

constexpr int kTapped = 14;  // The block whose expansion detectors look at.

Value* expand(NetworkBuilder& b, Value* x, int64_t expansion, Nonlinearity activation,
              const std::string& name) {
  if (expansion == 1) return x;
  const Conv conv = {.channels = expansion * NetworkBuilder::channels(x)};
  return b.conv_bn(x, conv, activation, name + ".conv.0");
}

// Filter each channel of `expanded`, project without activation, add x where the shape is the same.
Value* inverted_residual(NetworkBuilder& b, Value* x, Value* expanded, int64_t channels,
                         int64_t stride, Nonlinearity activation, const std::string& name) {
  const int64_t n = NetworkBuilder::channels(expanded);
  int layer = expanded == x ? 0 : 1;
  Value* y = b.conv_bn(expanded, {.channels = n, .kernel = 3, .stride = stride, .groups = n},
                       activation, str(name, ".conv.", layer++));
  y = b.conv(y, {.channels = channels}, str(name, ".conv.", layer));
  y = b.batch_norm(y, str(name, ".conv.", layer + 1), 1e-5, 0.5);
  const bool residual = stride == 1 && NetworkBuilder::channels(x) == channels;
  return residual ? b.apply("add", {x, y}, name + ".add") : y;
}

// Whole eights, and not less than nine tenths of what was asked for.
int64_t scaled_channels(int64_t channels, double width) {
  const double wanted = width * static_cast<double>(channels);
  const int64_t eights = std::max<int64_t>(8, static_cast<int64_t>(wanted + 4) / 8 * 8);
  return static_cast<double>(eights) < 0.9 * wanted ? eights + 8 : eights;
}

Graph build_mobilenet_v2_of(std::string_view name, double width, uint64_t seed) {
  NetworkBuilder b(name, seed);
  Value* image = b.input("input", {1, 3, 224, 224});
  Value* x = mobilenet_v2_features(b, image, Nonlinearity::Relu6, width).last;
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier.1"), "logits");
}

Graph build_mobilenet_v2(uint64_t seed) {
  return build_mobilenet_v2_of("mobilenet_v2", 1, seed);
}
Graph build_mobilenet_v2_035(uint64_t seed) {
  return build_mobilenet_v2_of("mobilenet_v2_035", 0.35, seed);
}
Graph build_mobilenet_v2_140(uint64_t seed) {
  return build_mobilenet_v2_of("mobilenet_v2_140", 1.4, seed);
}

}  // namespace

MobileNetV2Features mobilenet_v2_features(NetworkBuilder& b, Value* image, Nonlinearity activation,
                                          double width) {
  MobileNetV2Features features;
  const Conv stem = {.channels = scaled_channels(32, width), .kernel = 3, .stride = 2};
  Value* x = b.conv_bn(image, stem, activation, "features.0");
  int block = 1;
  for (const MobilenetV2Stage& stage : kMobilenetV2Stages) {
    for (int i = 0; i < stage.repeats; ++i, ++block) {
      const std::string name = str("features.", block);
      Value* expanded = expand(b, x, stage.expansion, activation, name);
      if (block == kTapped) features.expanded = expanded;
      const int64_t stride = i == 0 ? stage.stride : 1;
      const int64_t channels = scaled_channels(stage.channels, width);
      x = inverted_residual(b, x, expanded, channels, stride, activation, name);
    }
  }
  const int64_t last = scaled_channels(1280, std::max(1.0, width));
  features.last = b.conv_bn(x, {.channels = last}, activation, str("features.", block));
  return features;
}

// torchvision's model page (MobileNet_V2_Weights: num_params, _ops).
extern const NetworkDef network_mobilenet_v2 = {
    .name = "mobilenet_v2",
    .summary = "MobileNet v2 (2018), width 1.0, ImageNet, 224x224.",
    .published_parameters = 3504872,
    .published_macs = 0.301e9,
    .build = build_mobilenet_v2,
};

// tensorflow/models, research/slim/nets/mobilenet has 59.2 and 582 million multiply-adds, and 1.66 and
// 6.06 million parameters, which for the narrow one leaves batch norms out; they are counted here.
extern const NetworkDef network_mobilenet_v2_035 = {
    .name = "mobilenet_v2_035",
    .summary = "MobileNet v2 (2018), width 0.35, ImageNet, 224x224.",
    .published_parameters = 1677000,
    .published_macs = 0.0592e9,
    .build = build_mobilenet_v2_035,
};

extern const NetworkDef network_mobilenet_v2_140 = {
    .name = "mobilenet_v2_140",
    .summary = "MobileNet v2 (2018), width 1.4, ImageNet, 224x224.",
    .published_parameters = 6060000,
    .published_macs = 0.582e9,
    .build = build_mobilenet_v2_140,
};

}  // namespace hone
