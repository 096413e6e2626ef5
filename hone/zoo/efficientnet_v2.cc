// "EfficientNetV2: Smaller Models and Faster Training" (2021): S of its table 4 with torchvision's
// names, and B0 of its authors' repository (google/automl, efficientnetv2). In the first stages the
// expansion is a 3x3 convolution and there is no depthwise one.

#include <span>

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

constexpr EfficientnetV2Stage kEfficientnetV2B0[] = {{true, 1, 1, 16, 1},   {true, 4, 2, 32, 2},
                                                     {true, 4, 2, 48, 2},   {false, 4, 2, 96, 3},
                                                     {false, 6, 1, 112, 5}, {false, 6, 2, 192, 8}};

struct EfficientnetV2Variant {
  std::string_view name;
  int64_t resolution;
  int64_t stem;
  std::span<const EfficientnetV2Stage> stages;
  Padding padding;
};

class EfficientnetV2Block {
 public:
  EfficientnetV2Block(NetworkBuilder& b, std::string name, Padding padding)
      : b_(b), name_(std::move(name)), padding_(padding) {}

  Value* build(Value* x, const EfficientnetV2Stage& stage, int64_t stride) {
    Value* y = stage.fused ? fused(x, stage, stride) : gated(x, stage, stride);
    const bool residual = stride == 1 && NetworkBuilder::channels(x) == stage.channels;
    return residual ? b_.apply("add", {x, y}, name_ + ".add") : y;
  }

 private:
  Value* conv(Value* x, Conv options, Nonlinearity kind) {
    options.padding = padding_;
    return b_.conv_bn(x, options, kind, str(name_, ".block.", layer_++), kEfficientnetV2Epsilon);
  }

  Value* fused(Value* x, const EfficientnetV2Stage& stage, int64_t stride) {
    const bool expands = stage.expansion > 1;
    const int64_t channels =
        expands ? NetworkBuilder::channels(x) * stage.expansion : stage.channels;
    x = conv(x, {.channels = channels, .kernel = 3, .stride = stride}, Nonlinearity::Swish);
    return !expands ? x : conv(x, {.channels = stage.channels}, Nonlinearity::None);
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
  Padding padding_;
  int layer_ = 0;
};

Graph build_efficientnet_v2(const EfficientnetV2Variant& variant, uint64_t seed) {
  NetworkBuilder b(variant.name, seed);
  Value* x = b.input("input", {1, 3, variant.resolution, variant.resolution});
  const Conv stem = {
      .channels = variant.stem, .kernel = 3, .stride = 2, .padding = variant.padding};
  x = b.conv_bn(x, stem, Nonlinearity::Swish, "features.0", kEfficientnetV2Epsilon);
  int number = 1;
  for (const EfficientnetV2Stage& stage : variant.stages) {
    for (int i = 0; i < stage.repeats; ++i) {
      EfficientnetV2Block block(b, str("features.", number, ".", i), variant.padding);
      x = block.build(x, stage, i == 0 ? stage.stride : 1);
    }
    ++number;
  }
  x = b.conv_bn(x, {.channels = 1280}, Nonlinearity::Swish, "features.7", kEfficientnetV2Epsilon);
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier.1"), "logits");
}

constexpr EfficientnetV2Variant kEfficientnetV2VariantS = {"efficientnet_v2_s", 384, 24,
                                                           kEfficientnetV2Small, Padding::Half};
constexpr EfficientnetV2Variant kEfficientnetV2VariantB0 = {"efficientnetv2_b0", 224, 32,
                                                            kEfficientnetV2B0, Padding::Same};

}  // namespace

// torchvision's model page (EfficientNet_V2_S_Weights: num_params, _ops, at its crop of 384).
extern const NetworkDef network_efficientnet_v2_s = {
    .name = "efficientnet_v2_s",
    .summary = "EfficientNet v2 S (2021), ImageNet, 384x384.",
    .published_parameters = 21458488,
    .published_macs = 8.366e9,
    .build = [](uint64_t seed) { return build_efficientnet_v2(kEfficientnetV2VariantS, seed); },
};

// Counted from efficientnetv2_b0.param of ncnn's benchmark, two parameters to a normed channel;
// Keras counts 7,200,312, with 60,608 statistics of batch norms in them.
extern const NetworkDef network_efficientnetv2_b0 = {
    .name = "efficientnetv2_b0",
    .summary = "EfficientNetV2 B0 (2021), ImageNet, 224x224.",
    .published_parameters = 7139704,
    .published_macs = 718086176,
    .build = [](uint64_t seed) { return build_efficientnet_v2(kEfficientnetV2VariantB0, seed); },
};

}  // namespace hone
