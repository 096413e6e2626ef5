// "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks" (2019), table 1,
// scaled in width and depth, with torchvision's names; and EfficientNet-Lite (tensorflow/tpu,
// models/official/efficientnet/lite), which has no squeeze-and-excite, relu6 for swish, and a stem
// and head that are not scaled.

#include <cmath>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct EfficientnetVariant {
  std::string_view name;
  double width;
  double depth;
  int64_t resolution;
  bool lite = false;

  Nonlinearity activation() const { return lite ? Nonlinearity::Relu6 : Nonlinearity::Swish; }
  int64_t scaled(int64_t channels) const {
    return round_channels(static_cast<double>(channels) * width);
  }
};

struct EfficientnetStage {
  int64_t expansion;
  int64_t kernel;
  int64_t stride;
  int64_t channels;
  int repeats;
};
constexpr EfficientnetStage kEfficientnetStages[] = {
    {1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
    {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};

Value* block(NetworkBuilder& b, Value* x, const EfficientnetVariant& variant,
             const EfficientnetStage& stage, int64_t stride, const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  const int64_t outputs = variant.scaled(stage.channels);
  const int64_t expanded = inputs * stage.expansion;
  Value* y = x;
  int layer = 0;
  const auto next = [&] { return str(name, ".block.", layer++); };
  if (stage.expansion != 1) {
    y = b.conv_bn(y, {.channels = expanded}, variant.activation(), next());
  }
  const Conv depthwise = {
      .channels = expanded, .kernel = stage.kernel, .stride = stride, .groups = expanded};
  y = b.conv_bn(y, depthwise, variant.activation(), next());
  if (!variant.lite) y = b.squeeze_excite(y, inputs / 4, Nonlinearity::Swish, "sigmoid", next());
  y = b.conv_bn(y, {.channels = outputs}, Nonlinearity::None, next());
  return stride == 1 && inputs == outputs ? b.apply("add", {x, y}, name + ".add") : y;
}

Graph build_efficientnet(const EfficientnetVariant& variant, uint64_t seed) {
  NetworkBuilder b(variant.name, seed);
  Value* x = b.input("input", {1, 3, variant.resolution, variant.resolution});
  const Conv stem = {.channels = variant.lite ? 32 : variant.scaled(32), .kernel = 3, .stride = 2};
  x = b.conv_bn(x, stem, variant.activation(), "features.0");
  int number = 1;
  for (const EfficientnetStage& stage : kEfficientnetStages) {
    const int repeats = static_cast<int>(std::ceil(stage.repeats * variant.depth));
    for (int i = 0; i < repeats; ++i) {
      x = block(b, x, variant, stage, i == 0 ? stage.stride : 1, str("features.", number, ".", i));
    }
    ++number;
  }
  const Conv head = {.channels = variant.lite ? 1280 : 4 * NetworkBuilder::channels(x)};
  x = b.conv_bn(x, head, variant.activation(), str("features.", number));
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier.1"), "logits");
}

}  // namespace

// torchvision's model pages (EfficientNet_B*_Weights: num_params, _ops). They count the MACs of
// convolutions and the last layer; swish is not in them. B2 is counted at 288, torchvision's crop;
// at the paper's 260 it has 0.99 GMACs (1.0 in the paper).
extern const NetworkDef network_efficientnet_b0 = {
    .name = "efficientnet_b0",
    .summary = "EfficientNet B0 (2019), ImageNet, 224x224.",
    .published_parameters = 5288548,
    .published_macs = 0.386e9,
    .build =
        [](uint64_t seed) {
          return build_efficientnet({"efficientnet_b0", 1.0, 1.0, 224}, seed);
        },
};

extern const NetworkDef network_efficientnet_b1 = {
    .name = "efficientnet_b1",
    .summary = "EfficientNet B1 (2019), ImageNet, 240x240.",
    .published_parameters = 7794184,
    .published_macs = 0.687e9,
    .build =
        [](uint64_t seed) {
          return build_efficientnet({"efficientnet_b1", 1.0, 1.1, 240}, seed);
        },
};

extern const NetworkDef network_efficientnet_b2 = {
    .name = "efficientnet_b2",
    .summary = "EfficientNet B2 (2019), ImageNet, 288x288 as torchvision evaluates it.",
    .published_parameters = 9109994,
    .published_macs = 1.088e9,
    .build =
        [](uint64_t seed) {
          return build_efficientnet({"efficientnet_b2", 1.1, 1.2, 288}, seed);
        },
};

extern const NetworkDef network_efficientnet_b3 = {
    .name = "efficientnet_b3",
    .summary = "EfficientNet B3 (2019), ImageNet, 300x300.",
    .published_parameters = 12233232,
    .published_macs = 1.827e9,
    .build =
        [](uint64_t seed) {
          return build_efficientnet({"efficientnet_b3", 1.2, 1.4, 300}, seed);
        },
};

extern const NetworkDef network_efficientnet_b4 = {
    .name = "efficientnet_b4",
    .summary = "EfficientNet B4 (2019), ImageNet, 380x380.",
    .published_parameters = 19341616,
    .published_macs = 4.394e9,
    .build =
        [](uint64_t seed) {
          return build_efficientnet({"efficientnet_b4", 1.4, 1.8, 380}, seed);
        },
};

// README of d-li14/efficientnet-lite.pytorch: 4.652 M, 0.385 G. The authors' own page has 407 M
// multiply-adds, which is more than the convolutions' (its B0, which adds squeeze-and-excite, has
// 390 M in the paper); it does not say what else is counted.
extern const NetworkDef network_efficientnet_lite0 = {
    .name = "efficientnet_lite0",
    .summary = "EfficientNet-Lite0 (2020): B0 without squeeze-and-excite, relu6, 224x224.",
    .published_parameters = 4652008,
    .published_macs = 0.385e9,
    .build =
        [](uint64_t seed) {
          return build_efficientnet({"efficientnet_lite0", 1.0, 1.0, 224, true}, seed);
        },
};

}  // namespace hone
