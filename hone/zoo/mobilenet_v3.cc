// "Searching for MobileNetV3" (2019), tables 1 and 2, with torchvision's names. And the network that
// ncnn's benchmark runs (mobilenet_v3.param): it widens to 160 channels one block before it halves
// the resolution, and squeezes before the activation.

#include <span>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr double kMobilenetV3Epsilon = 1e-3;
constexpr Nonlinearity kRelu = Nonlinearity::Relu;
constexpr Nonlinearity kHardSwish = Nonlinearity::HardSwish;

struct MobilenetV3Block {
  int64_t kernel;
  int64_t expanded;
  int64_t channels;
  bool squeeze;
  Nonlinearity activation;
  int64_t stride;
};

constexpr MobilenetV3Block kMobilenetV3Large[] = {
    {3, 16, 16, false, kRelu, 1},       {3, 64, 24, false, kRelu, 2},
    {3, 72, 24, false, kRelu, 1},       {5, 72, 40, true, kRelu, 2},
    {5, 120, 40, true, kRelu, 1},       {5, 120, 40, true, kRelu, 1},
    {3, 240, 80, false, kHardSwish, 2}, {3, 200, 80, false, kHardSwish, 1},
    {3, 184, 80, false, kHardSwish, 1}, {3, 184, 80, false, kHardSwish, 1},
    {3, 480, 112, true, kHardSwish, 1}, {3, 672, 112, true, kHardSwish, 1},
    {5, 672, 160, true, kHardSwish, 2}, {5, 960, 160, true, kHardSwish, 1},
    {5, 960, 160, true, kHardSwish, 1},
};

constexpr MobilenetV3Block kMobilenetV3Ncnn[] = {
    {3, 16, 16, false, kRelu, 1},       {3, 64, 24, false, kRelu, 2},
    {3, 72, 24, false, kRelu, 1},       {5, 72, 40, true, kRelu, 2},
    {5, 120, 40, true, kRelu, 1},       {5, 120, 40, true, kRelu, 1},
    {3, 240, 80, false, kHardSwish, 2}, {3, 200, 80, false, kHardSwish, 1},
    {3, 184, 80, false, kHardSwish, 1}, {3, 184, 80, false, kHardSwish, 1},
    {3, 480, 112, true, kHardSwish, 1}, {3, 672, 112, true, kHardSwish, 1},
    {5, 672, 160, true, kHardSwish, 1}, {5, 672, 160, true, kHardSwish, 2},
    {5, 960, 160, true, kHardSwish, 1},
};

constexpr MobilenetV3Block kMobilenetV3Small[] = {
    {3, 16, 16, true, kRelu, 2},       {3, 72, 24, false, kRelu, 2},
    {3, 88, 24, false, kRelu, 1},      {5, 96, 40, true, kHardSwish, 2},
    {5, 240, 40, true, kHardSwish, 1}, {5, 240, 40, true, kHardSwish, 1},
    {5, 120, 48, true, kHardSwish, 1}, {5, 144, 48, true, kHardSwish, 1},
    {5, 288, 96, true, kHardSwish, 2}, {5, 576, 96, true, kHardSwish, 1},
    {5, 576, 96, true, kHardSwish, 1},
};

struct MobilenetV3Variant {
  std::string_view name;
  std::span<const MobilenetV3Block> blocks;
  int64_t hidden;
  bool squeeze_first = false;  // The activation comes behind squeeze-and-excite.
};

Value* inverted_residual(NetworkBuilder& b, Value* x, const MobilenetV3Variant& variant,
                         const MobilenetV3Block& block, const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  Value* y = x;
  int layer = 0;
  const auto next = [&] { return str(name, ".block.", layer++); };
  if (block.expanded != inputs) {
    y = b.conv_bn(y, {.channels = block.expanded}, block.activation, next(), kMobilenetV3Epsilon);
  }
  const Conv depthwise = {.channels = block.expanded,
                          .kernel = block.kernel,
                          .stride = block.stride,
                          .groups = block.expanded};
  const bool late = block.squeeze && variant.squeeze_first;
  y = b.conv_bn(y, depthwise, late ? Nonlinearity::None : block.activation, next(),
                kMobilenetV3Epsilon);
  if (block.squeeze) {
    const double quarter = static_cast<double>(block.expanded) / 4;
    const int64_t squeezed = late ? block.expanded / 4 : round_channels(quarter);
    y = b.squeeze_excite(y, squeezed, kRelu, "hard_sigmoid", next());
  }
  if (late) y = b.activation(y, block.activation, name + ".activation");
  y = b.conv_bn(y, {.channels = block.channels}, Nonlinearity::None, next(), kMobilenetV3Epsilon);
  const bool residual = block.stride == 1 && inputs == block.channels;
  return residual ? b.apply("add", {x, y}, name + ".add") : y;
}

Graph build_mobilenet_v3(const MobilenetV3Variant& variant, uint64_t seed) {
  NetworkBuilder b(variant.name, seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  const Conv stem = {.channels = 16, .kernel = 3, .stride = 2};
  x = b.conv_bn(x, stem, kHardSwish, "features.0", kMobilenetV3Epsilon);
  int layer = 1;
  for (const MobilenetV3Block& block : variant.blocks) {
    x = inverted_residual(b, x, variant, block, str("features.", layer++));
  }
  const Conv last = {.channels = 6 * NetworkBuilder::channels(x)};
  x = b.conv_bn(x, last, kHardSwish, str("features.", layer), kMobilenetV3Epsilon);
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  x = b.activation(b.linear(x, variant.hidden, "classifier.0"), kHardSwish, "classifier.1");
  return b.finish(b.linear(x, 1000, "classifier.3"), "logits");
}

}  // namespace

// torchvision's model pages (MobileNet_V3_*_Weights: num_params, _ops).
extern const NetworkDef network_mobilenet_v3_small = {
    .name = "mobilenet_v3_small",
    .summary = "MobileNet v3 small (2019), width 1.0, ImageNet, 224x224.",
    .published_parameters = 2542856,
    .published_macs = 0.057e9,
    .build =
        [](uint64_t seed) {
          return build_mobilenet_v3({"mobilenet_v3_small", kMobilenetV3Small, 1024}, seed);
        },
};

extern const NetworkDef network_mobilenet_v3_large = {
    .name = "mobilenet_v3_large",
    .summary = "MobileNet v3 large (2019), width 1.0, ImageNet, 224x224.",
    .published_parameters = 5483032,
    .published_macs = 0.217e9,
    .build =
        [](uint64_t seed) {
          return build_mobilenet_v3({"mobilenet_v3_large", kMobilenetV3Large, 1280}, seed);
        },
};

// Counted from mobilenet_v3.param, with two parameters to a channel whose batch norm it has folded.
extern const NetworkDef network_mobilenet_v3_ncnn = {
    .name = "mobilenet_v3_ncnn",
    .summary = "MobileNet v3 large as in ncnn's benchmark, ImageNet, 224x224.",
    .published_parameters = 5145318,
    .published_macs = 245564768,
    .build =
        [](uint64_t seed) {
          return build_mobilenet_v3({"mobilenet_v3_ncnn", kMobilenetV3Ncnn, 1280, true}, seed);
        },
};

}  // namespace hone
