// "ShuffleNet V2: Practical Guidelines for Efficient CNN Architecture Design" (2018), table 5, with
// torchvision's names.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr std::array<int, 3> kShufflenetV2Repeats = {4, 8, 4};
constexpr int64_t kShufflenetV2Head = 1024;

Value* shufflenet_v2_depthwise(NetworkBuilder& b, Value* x, int64_t stride,
                               const std::string& name) {
  const int64_t n = NetworkBuilder::channels(x);
  const Conv conv = {.channels = n, .kernel = 3, .stride = stride, .groups = n};
  return b.batch_norm(b.conv(x, conv, name + ".conv"), name + ".bn");
}

Value* shufflenet_v2_pointwise(NetworkBuilder& b, Value* x, int64_t channels,
                               const std::string& name) {
  return b.conv_bn(x, {.channels = channels}, Nonlinearity::Relu, name);
}

Value* shufflenet_v2_branch(NetworkBuilder& b, Value* x, int64_t channels, int64_t stride,
                            const std::string& name) {
  x = shufflenet_v2_pointwise(b, x, channels, name + ".pw1");
  x = shufflenet_v2_depthwise(b, x, stride, name + ".dw");
  return shufflenet_v2_pointwise(b, x, channels, name + ".pw2");
}

// Half of the channels go through unchanged; at the begin of a stage both halves are computed.
Value* shufflenet_v2_unit(NetworkBuilder& b, Value* x, int64_t channels, int64_t stride,
                          const std::string& name) {
  const int64_t half = channels / 2;
  Value* left = nullptr;
  Value* right = x;
  if (stride == 1) {
    const std::vector<Value*> halves = b.split(x, {half, half}, 1, name + ".chunk");
    left = halves[0];
    right = halves[1];
  } else {
    left = shufflenet_v2_depthwise(b, x, stride, name + ".branch1.dw");
    left = shufflenet_v2_pointwise(b, left, half, name + ".branch1.pw");
  }
  right = shufflenet_v2_branch(b, right, half, stride, name + ".branch2");
  return b.shuffle_channels(b.concat({left, right}, 1, name + ".concat"), 2, name + ".shuffle");
}

Graph build_shufflenet_v2(std::string_view network, const std::array<int64_t, 3>& widths,
                          uint64_t seed) {
  NetworkBuilder b(network, seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  x = b.conv_bn(x, {.channels = 24, .kernel = 3, .stride = 2}, Nonlinearity::Relu, "conv1");
  x = b.max_pool(x, 3, 2, "maxpool");
  for (size_t stage = 0; stage < widths.size(); ++stage) {
    for (int i = 0; i < kShufflenetV2Repeats[stage]; ++i) {
      const std::string name = str("stage", stage + 2, ".", i);
      x = shufflenet_v2_unit(b, x, widths[stage], i == 0 ? 2 : 1, name);
    }
  }
  x = shufflenet_v2_pointwise(b, x, kShufflenetV2Head, "conv5");
  x = b.flatten(b.global_average_pool(x, "mean"), "flatten");
  return b.finish(b.linear(x, 1000, "fc"), "logits");
}

}  // namespace

// torchvision's model pages (ShuffleNet_V2_*_Weights: num_params, _ops). x0.5's _ops have one digit
// (0.04); the count is that of the layers in the paper's table 5.
extern const NetworkDef network_shufflenet_v2_05 = {
    .name = "shufflenet_v2_05",
    .summary = "ShuffleNet v2 (2018), width 0.5, ImageNet, 224x224.",
    .published_parameters = 1366792,
    .published_macs = 40.48e6,
    .build =
        [](uint64_t seed) {
          return build_shufflenet_v2("shufflenet_v2_05", {48, 96, 192}, seed);
        },
};

extern const NetworkDef network_shufflenet_v2 = {
    .name = "shufflenet_v2",
    .summary = "ShuffleNet v2 (2018), width 1.0, ImageNet, 224x224.",
    .published_parameters = 2278604,
    .published_macs = 0.145e9,
    .build =
        [](uint64_t seed) {
          return build_shufflenet_v2("shufflenet_v2", {116, 232, 464}, seed);
        },
};

}  // namespace hone
