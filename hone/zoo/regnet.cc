// "Designing Network Design Spaces" (2020): stages of bottlenecks of one width with grouped 3x3
// convolutions, with torchvision's names. Y adds squeeze-and-excite.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

// Depths and widths are what the paper's rule gives for the parameters in torchvision's regnet.py.
struct RegnetVariant {
  std::string_view name;
  std::array<int, 4> depths;
  std::array<int64_t, 4> widths;
  int64_t group_width;
  bool gated;
};
constexpr RegnetVariant kRegnetY04 = {"regnety_400m", {1, 3, 6, 6}, {48, 104, 208, 440}, 8, true};
constexpr RegnetVariant kRegnetX32 = {
    "regnet_x_3_2gf", {2, 6, 15, 2}, {96, 192, 432, 1008}, 48, false};
constexpr RegnetVariant kRegnetY08 = {
    "regnet_y_800mf", {1, 3, 8, 2}, {64, 144, 320, 784}, 16, true};

Value* regnet_block(NetworkBuilder& b, Value* x, const RegnetVariant& variant, int64_t width,
                    int64_t stride, const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  Value* y = b.conv_bn(x, {.channels = width}, Nonlinearity::Relu, name + ".f.a");
  const Conv grouped = {
      .channels = width, .kernel = 3, .stride = stride, .groups = width / variant.group_width};
  y = b.conv_bn(y, grouped, Nonlinearity::Relu, name + ".f.b");
  if (variant.gated) {
    y = b.squeeze_excite(y, inputs / 4, Nonlinearity::Relu, "sigmoid", name + ".f.se");
  }
  y = b.conv_bn(y, {.channels = width}, Nonlinearity::None, name + ".f.c");
  if (stride != 1 || inputs != width) {
    const Conv shortcut = {.channels = width, .stride = stride};
    x = b.conv_bn(x, shortcut, Nonlinearity::None, name + ".proj");
  }
  return b.activation(b.apply("add", {x, y}, name + ".add"), Nonlinearity::Relu,
                      name + ".activation");
}

Graph build_regnet(const RegnetVariant& variant, uint64_t seed) {
  NetworkBuilder b(variant.name, seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  x = b.conv_bn(x, {.channels = 32, .kernel = 3, .stride = 2}, Nonlinearity::Relu, "stem");
  for (size_t stage = 0; stage < variant.depths.size(); ++stage) {
    for (int i = 0; i < variant.depths[stage]; ++i) {
      const std::string name = str("trunk_output.block", stage + 1, ".block", stage + 1, "-", i);
      x = regnet_block(b, x, variant, variant.widths[stage], i == 0 ? 2 : 1, name);
    }
  }
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "fc"), "logits");
}

}  // namespace

// torchvision's model pages (RegNet_*_Weights: num_params, _ops).
extern const NetworkDef network_regnet_x_3_2gf = {
    .name = "regnet_x_3_2gf",
    .summary = "RegNetX 3.2 GF (2020), ImageNet, 224x224.",
    .published_parameters = 15296552,
    .published_macs = 3.177e9,
    .build = [](uint64_t seed) { return build_regnet(kRegnetX32, seed); },
};

// The same counts follow from regnety_400m.param of ncnn's benchmark.
extern const NetworkDef network_regnety_400m = {
    .name = "regnety_400m",
    .summary = "RegNetY 400 MF (2020), ImageNet, 224x224.",
    .published_parameters = 4344144,
    .published_macs = 0.402e9,
    .build = [](uint64_t seed) { return build_regnet(kRegnetY04, seed); },
};

extern const NetworkDef network_regnet_y_800mf = {
    .name = "regnet_y_800mf",
    .summary = "RegNetY 800 MF (2020), ImageNet, 224x224.",
    .published_parameters = 6432512,
    .published_macs = 0.834e9,
    .build = [](uint64_t seed) { return build_regnet(kRegnetY08, seed); },
};

}  // namespace hone
