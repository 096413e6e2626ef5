// Detection of protective gear of AI Hub (quic/ai-hub-models, models/gear_guard_net): the layout of
// YOLOv5 small with blocks of two depthwise 5x5 convolutions, relu and 2 classes; boxes decoded.

#include <array>

#include "hone/zoo/yolo_blocks.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kGearGuardFields = 5 + 2;
constexpr std::array<std::array<float, 6>, 3> kGearGuardAnchors = {
    {{10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}}};

class GearGuardNet {
 public:
  explicit GearGuardNet(uint64_t seed) : b_("gear_guard_net", seed) {}

  Graph build() {
    const std::vector<Value*> features = neck(backbone());
    std::vector<Value*> boxes;
    for (size_t i = 0; i < features.size(); ++i) {
      const std::string name = str("model.24.m.", i);
      const Conv last = {.channels = 3 * kGearGuardFields, .bias = true};
      boxes.push_back(yolo_anchor_boxes(b_, b_.conv(features[i], last, name), kGearGuardAnchors[i],
                                        int64_t{8} << i, name));
    }
    return b_.finish(b_.concat(boxes, 1, "model.24.concat"), "output");
  }

 private:
  Value* layer(Value* x, const Conv& conv, Nonlinearity kind, const std::string& name) {
    return b_.conv_bn(x, conv, kind, name, 1e-3);
  }

  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name) {
    return layer(x, {.channels = channels, .kernel = kernel, .stride = stride}, Nonlinearity::Relu,
                 name);
  }

  Value* separable(Value* x, int64_t channels, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    x = layer(x, {.channels = n, .kernel = 5, .groups = n}, Nonlinearity::None, name + ".dw");
    return layer(x, {.channels = channels}, Nonlinearity::None, name + ".pw");
  }

  Value* block(Value* x, int64_t channels, const std::string& name) {
    const int64_t hidden = std::max(channels, NetworkBuilder::channels(x)) / 2;
    Value* y = separable(x, hidden, name + ".conv1");
    y = b_.activation(y, Nonlinearity::Relu, name + ".relu");
    y = separable(y, channels, name + ".conv2");
    if (NetworkBuilder::channels(x) != channels) {
      x = b_.conv(x, {.channels = channels, .bias = true}, name + ".pad");
    }
    return b_.activation(b_.apply("add", {y, x}, name + ".add"), Nonlinearity::Relu, name + ".act");
  }

  std::vector<Value*> backbone() {
    Value* x = conv(b_.input("input", {1, 3, 320, 192}), 32, 6, 2, "model.0");
    x = block(conv(x, 64, 3, 2, "model.1"), 64, "model.2");
    Value* p3 = block(conv(x, 128, 3, 2, "model.3"), 128, "model.4");
    Value* p4 = conv(p3, 256, 3, 2, "model.5");
    for (int i = 0; i < 3; ++i) p4 = block(p4, 256, str("model.6.", i));
    x = block(conv(p4, 512, 3, 2, "model.7"), 512, "model.8");
    return {p3, p4, conv(x, 512, 3, 1, "model.9")};
  }

  std::vector<Value*> neck(const std::vector<Value*>& from) {
    Value* p5 = conv(from[2], 256, 1, 1, "model.10");
    Value* x = b_.concat({b_.upsample(p5, "model.11"), from[1]}, 1, "model.12");
    Value* p4 = conv(block(x, 256, "model.13"), 128, 1, 1, "model.14");
    x = b_.concat({b_.upsample(p4, "model.15"), from[0]}, 1, "model.16");
    Value* small = block(x, 128, "model.17");
    x = b_.concat({conv(small, 128, 3, 2, "model.18"), p4}, 1, "model.19");
    Value* medium = block(x, 256, "model.20");
    x = b_.concat({conv(medium, 256, 3, 2, "model.21"), p5}, 1, "model.22");
    return {small, medium, block(x, 512, "model.23")};
  }

  NetworkBuilder b_;
};

}  // namespace

// AI Hub states 6.19 M parameters. No MACs are published: those of a script over the layer list.
extern const NetworkDef network_gear_guard_net = {
    .name = "gear_guard_net",
    .summary = "Detection of protective gear of AI Hub, 320x192, boxes decoded.",
    .published_parameters = 6.19e6,
    .published_macs = 0.891e9,
    .build = [](uint64_t seed) { return GearGuardNet(seed).build(); },
};

}  // namespace hone
