// "EfficientNetV2: Smaller Models and Faster Training" (2021), table 4, with torchvision's names:
// in the first stages the expansion is a 3x3 convolution and there is no depthwise one.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr double kEfficientnetV2Epsilon = 1e-3;

struct EfficientnetV2Stage {
  bool fused;
  int64_t expansion;
  int64_t stride;
  int64_t channels;
  int repeats;
};
constexpr EfficientnetV2Stage kEfficientnetV2Small[] = {
    {true, 1, 1, 24, 2},   {true, 4, 2, 48, 4},   {true, 4, 2, 64, 4},
    {false, 4, 2, 128, 6}, {false, 6, 1, 160, 9}, {false, 6, 2, 256, 15}};

class EfficientnetV2Block {
 public:
  EfficientnetV2Block(NetworkBuilder& b, std::string name) : b_(b), name_(std::move(name)) {}

  Value* build(Value* x, const EfficientnetV2Stage& stage, int64_t stride) {
    Value* y = stage.fused ? fused(x, stage, stride) : gated(x, stage, stride);
    const bool residual = stride == 1 && NetworkBuilder::channels(x) == stage.channels;
    return residual ? b_.apply("add", {x, y}, name_ + ".add") : y;
  }

 private:
  Value* conv(Value* x, const Conv& options, Nonlinearity kind) {
    return b_.conv_bn(x, options, kind, str(name_, ".block.", layer_++), kEfficientnetV2Epsilon);
  }

  Value* fused(Value* x, const EfficientnetV2Stage& stage, int64_t stride) {
    const int64_t expanded = NetworkBuilder::channels(x) * stage.expansion;
    x = conv(x, {.channels = expanded, .kernel = 3, .stride = stride}, Nonlinearity::Swish);
    return stage.expansion == 1 ? x : conv(x, {.channels = stage.channels}, Nonlinearity::None);
  }

  Value* gated(Value* x, const EfficientnetV2Stage& stage, int64_t stride) {
    const int64_t inputs = NetworkBuilder::channels(x);
    const int64_t expanded = inputs * stage.expansion;
    x = conv(x, {.channels = expanded}, Nonlinearity::Swish);
    x = conv(x, {.channels = expanded, .kernel = 3, .stride = stride, .groups = expanded},
             Nonlinearity::Swish);
    x = b_.squeeze_excite(x, inputs / 4, Nonlinearity::Swish, "sigmoid",
                          str(name_, ".block.", layer_++));
    return conv(x, {.channels = stage.channels}, Nonlinearity::None);
  }

  NetworkBuilder& b_;
  std::string name_;
  int layer_ = 0;
};

Graph build_efficientnet_v2_s(uint64_t seed) {
  NetworkBuilder b("efficientnet_v2_s", seed);
  Value* x = b.input("input", {1, 3, 384, 384});
  x = b.conv_bn(x, {.channels = 24, .kernel = 3, .stride = 2}, Nonlinearity::Swish, "features.0",
                kEfficientnetV2Epsilon);
  int number = 1;
  for (const EfficientnetV2Stage& stage : kEfficientnetV2Small) {
    for (int i = 0; i < stage.repeats; ++i) {
      EfficientnetV2Block block(b, str("features.", number, ".", i));
      x = block.build(x, stage, i == 0 ? stage.stride : 1);
    }
    ++number;
  }
  x = b.conv_bn(x, {.channels = 1280}, Nonlinearity::Swish, "features.7", kEfficientnetV2Epsilon);
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier.1"), "logits");
}

}  // namespace

// torchvision's model page (EfficientNet_V2_S_Weights: num_params, _ops, at its crop of 384).
extern const NetworkDef network_efficientnet_v2_s = {
    .name = "efficientnet_v2_s",
    .summary = "EfficientNet v2 S (2021), ImageNet, 384x384.",
    .published_parameters = 21458488,
    .published_macs = 8.366e9,
    .build = build_efficientnet_v2_s,
};

}  // namespace hone
