// EfficientNet-EdgeTPU (tensorflow/tpu, models/official/efficientnet/edgetpu; "Accelerator-aware
// Neural Network Design using AutoML", 2020): an array of multipliers is idle in a depthwise
// convolution, so the early blocks expand with a full one, and there is no squeeze-and-excite.

#include <cmath>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct EfficientnetEdgetpuVariant {
  std::string_view name;
  double width;
  double depth;
  int64_t resolution;

  int64_t scaled(int64_t channels) const {
    return round_channels(static_cast<double>(channels) * width);
  }
};

struct EfficientnetEdgetpuStage {
  int64_t kernel;
  int64_t stride;
  int64_t expansion;
  int64_t channels;
  int repeats;
  bool full;  // Expands with a convolution over all channels, in place of 1x1 and depthwise.
};
constexpr EfficientnetEdgetpuStage kEfficientnetEdgetpuStages[] = {
    {3, 1, 4, 24, 1, true},  {3, 2, 8, 32, 2, true},   {3, 2, 8, 48, 4, true},
    {5, 2, 8, 96, 5, false}, {5, 1, 8, 144, 4, false}, {5, 2, 8, 192, 2, false}};

class EfficientNetEdgeTpu {
 public:
  EfficientNetEdgeTpu(const EfficientnetEdgetpuVariant& variant, uint64_t seed)
      : variant_(variant), b_(variant.name, seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, variant_.resolution, variant_.resolution});
    x = layer(x, {.channels = variant_.scaled(32), .kernel = 3, .stride = 2}, "stem");
    // The first block expands as if it had 24 channels in front of it, and not the stem's 32.
    int64_t inputs = variant_.scaled(24);
    int number = 0;
    for (const EfficientnetEdgetpuStage& stage : kEfficientnetEdgetpuStages) {
      const int repeats = static_cast<int>(std::ceil(stage.repeats * variant_.depth));
      for (int i = 0; i < repeats; ++i) {
        const int64_t stride = i == 0 ? stage.stride : 1;
        x = block(x, stage, inputs * stage.expansion, stride, str("blocks.", number, ".", i));
        inputs = NetworkBuilder::channels(x);
      }
      ++number;
    }
    x = layer(x, {.channels = variant_.scaled(1280)}, "head");
    x = b_.flatten(b_.global_average_pool(x, "pool"), "flatten");
    return b_.finish(b_.linear(x, 1000, "classifier"), "logits");
  }

 private:
  Value* layer(Value* x, Conv conv, const std::string& name,
               Nonlinearity kind = Nonlinearity::Relu) {
    conv.padding = Padding::Same;
    return b_.conv_bn(x, conv, kind, name, 1e-3);
  }

  // A full expansion leaves the stride to the projection.
  Value* block(Value* x, const EfficientnetEdgetpuStage& stage, int64_t expanded, int64_t stride,
               const std::string& name) {
    const int64_t outputs = variant_.scaled(stage.channels);
    Conv project = {.channels = outputs};
    Value* y = nullptr;
    if (stage.full) {
      y = layer(x, {.channels = expanded, .kernel = stage.kernel}, name + ".expand");
      project.stride = stride;
    } else {
      y = layer(x, {.channels = expanded}, name + ".expand");
      const Conv depthwise = {
          .channels = expanded, .kernel = stage.kernel, .stride = stride, .groups = expanded};
      y = layer(y, depthwise, name + ".depthwise");
    }
    y = layer(y, project, name + ".project", Nonlinearity::None);
    const bool residual = stride == 1 && NetworkBuilder::channels(x) == outputs;
    return residual ? b_.apply("add", {x, y}, name + ".add") : y;
  }

  const EfficientnetEdgetpuVariant& variant_;
  NetworkBuilder b_;
};

constexpr EfficientnetEdgetpuVariant kEfficientnetEdgetpuSmall = {"efficientnet_edgetpu_s", 1.0,
                                                                  1.0, 224};
constexpr EfficientnetEdgetpuVariant kMedium = {"efficientnet_edgetpu_m", 1.0, 1.1, 240};
constexpr EfficientnetEdgetpuVariant kLarge = {"efficientnet_edgetpu_l", 1.2, 1.4, 300};

}  // namespace

// Parameters: timm's names for them (efficientnet_es, em, el) have 5.44, 6.90 and 10.59 million.
// MACs: half of the 4.72, 7.34 and 19.36 GFLOPs in the names of the Vitis AI model zoo; timm has
// fewer, as its full expansions have the stride.
extern const NetworkDef network_efficientnet_edgetpu_s = {
    .name = "efficientnet_edgetpu_s",
    .summary = "EfficientNet-EdgeTPU small (2019), ImageNet, 224x224.",
    .published_parameters = 5.44e6,
    .published_macs = 4.72e9 / 2,
    .build =
        [](uint64_t seed) { return EfficientNetEdgeTpu(kEfficientnetEdgetpuSmall, seed).build(); },
};

extern const NetworkDef network_efficientnet_edgetpu_m = {
    .name = "efficientnet_edgetpu_m",
    .summary = "EfficientNet-EdgeTPU medium (2019), ImageNet, 240x240.",
    .published_parameters = 6.90e6,
    .published_macs = 7.34e9 / 2,
    .build = [](uint64_t seed) { return EfficientNetEdgeTpu(kMedium, seed).build(); },
};

extern const NetworkDef network_efficientnet_edgetpu_l = {
    .name = "efficientnet_edgetpu_l",
    .summary = "EfficientNet-EdgeTPU large (2019), ImageNet, 300x300.",
    .published_parameters = 10.59e6,
    .published_macs = 19.36e9 / 2,
    .build = [](uint64_t seed) { return EfficientNetEdgeTpu(kLarge, seed).build(); },
};

}  // namespace hone
