// "MnasNet: Platform-Aware Neural Architecture Search for Mobile" (2018), figure 7 (B1), at half
// of the width, with torchvision's names and its widths.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct Mnasnet05Stage {
  int64_t channels;
  int64_t kernel;
  int64_t stride;
  int64_t expansion;
  int repeats;
};
constexpr Mnasnet05Stage kMnasnet05Stages[] = {{16, 3, 2, 3, 3}, {24, 5, 2, 3, 3},
                                               {40, 5, 2, 6, 3}, {48, 3, 1, 6, 2},
                                               {96, 5, 2, 6, 4}, {160, 3, 1, 6, 1}};

Value* mnasnet05_block(NetworkBuilder& b, Value* x, const Mnasnet05Stage& stage, int64_t stride,
                       const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  const int64_t expanded = inputs * stage.expansion;
  Value* y = b.conv_bn(x, {.channels = expanded}, Nonlinearity::Relu, name + ".expand");
  const Conv depthwise = {
      .channels = expanded, .kernel = stage.kernel, .stride = stride, .groups = expanded};
  y = b.conv_bn(y, depthwise, Nonlinearity::Relu, name + ".depthwise");
  y = b.conv_bn(y, {.channels = stage.channels}, Nonlinearity::None, name + ".project");
  const bool residual = stride == 1 && inputs == stage.channels;
  return residual ? b.apply("add", {y, x}, name + ".add") : y;
}

Graph build_mnasnet05(uint64_t seed) {
  NetworkBuilder b("mnasnet05", seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  x = b.conv_bn(x, {.channels = 16, .kernel = 3, .stride = 2}, Nonlinearity::Relu, "layers.0");
  x = b.conv_bn(x, {.channels = 16, .kernel = 3, .groups = 16}, Nonlinearity::Relu, "layers.3");
  x = b.conv_bn(x, {.channels = 8}, Nonlinearity::None, "layers.6");
  int number = 8;
  for (const Mnasnet05Stage& stage : kMnasnet05Stages) {
    for (int i = 0; i < stage.repeats; ++i) {
      x = mnasnet05_block(b, x, stage, i == 0 ? stage.stride : 1, str("layers.", number, ".", i));
    }
    ++number;
  }
  x = b.conv_bn(x, {.channels = 1280}, Nonlinearity::Relu, "layers.14");
  x = b.flatten(b.global_average_pool(x, "mean"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier.1"), "logits");
}

}  // namespace

// torchvision's model page (MNASNet0_5_Weights: num_params, _ops 0.104).
extern const NetworkDef network_mnasnet05 = {
    .name = "mnasnet05",
    .summary = "MnasNet B1 (2018), width 0.5, ImageNet, 224x224.",
    .published_parameters = 2218512,
    .published_macs = 0.104e9,
    .build = build_mnasnet05,
};

}  // namespace hone
