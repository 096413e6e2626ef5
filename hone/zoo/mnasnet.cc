// Networks of inverted residuals whose kernels and widths were found by search on phones: "MnasNet:
// Platform-Aware Neural Architecture Search for Mobile" (2018), B1, and "ProxylessNAS: Direct Neural
// Architecture Search on Target Task and Hardware" (2018). Stages as in ncnn's benchmark
// (mnasnet.param, proxylessnasnet.param); its ProxylessNAS has 32 channels after the first block,
// the paper's 16.

#include <span>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct SearchedBlock {
  int64_t kernel;
  int64_t expanded;
  int64_t channels;
  int64_t stride = 1;
  int repeats = 1;
};

constexpr SearchedBlock kMnasnetBlocks[] = {
    {3, 32, 16},        {3, 48, 24, 2},   {3, 72, 24, 1, 2},    {5, 72, 40, 2},
    {5, 120, 40, 1, 2}, {5, 240, 80, 2},  {5, 480, 80, 1, 2},   {3, 480, 96},
    {3, 576, 96},       {5, 576, 192, 2}, {5, 1152, 192, 1, 3}, {3, 1152, 320},
};

constexpr SearchedBlock kProxylessBlocks[] = {
    {3, 32, 32},        {5, 48, 32, 2},  {3, 96, 32},         {7, 96, 40, 2}, {3, 120, 40},
    {5, 120, 40, 1, 2}, {7, 240, 80, 2}, {5, 240, 80, 1, 3},  {5, 480, 96},   {5, 288, 96, 1, 3},
    {7, 576, 192, 2},   {7, 1152, 192},  {7, 576, 192, 1, 2}, {7, 1152, 320},
};

// The first block has as many channels as it filters: nothing expands it.
Value* searched_block(NetworkBuilder& b, Value* x, const SearchedBlock& block, bool first,
                      const std::string& name) {
  Value* y = x;
  if (!first) y = b.conv_bn(y, {.channels = block.expanded}, Nonlinearity::Relu, name + ".expand");
  const Conv depthwise = {.channels = block.expanded,
                          .kernel = block.kernel,
                          .stride = block.stride,
                          .groups = block.expanded};
  y = b.conv_bn(y, depthwise, Nonlinearity::Relu, name + ".depthwise");
  y = b.conv_bn(y, {.channels = block.channels}, Nonlinearity::None, name + ".project");
  const bool residual =
      !first && block.stride == 1 && NetworkBuilder::channels(x) == block.channels;
  return residual ? b.apply("add", {x, y}, name + ".add") : y;
}

Graph build_searched(std::string_view network, std::span<const SearchedBlock> blocks,
                     uint64_t seed) {
  NetworkBuilder b(network, seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  x = b.conv_bn(x, {.channels = 32, .kernel = 3, .stride = 2}, Nonlinearity::Relu, "stem");
  int number = 0;
  for (const SearchedBlock& block : blocks) {
    for (int i = 0; i < block.repeats; ++i, ++number) {
      x = searched_block(b, x, block, number == 0, str("block.", number));
    }
  }
  x = b.conv_bn(x, {.channels = 1280}, Nonlinearity::Relu, "last");
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.softmax(b.linear(x, 1000, "classifier"), "softmax"), "output");
}

}  // namespace

// torchvision's model page (MNASNet1_0_Weights: num_params, _ops); the same are counted from
// mnasnet.param.
extern const NetworkDef network_mnasnet = {
    .name = "mnasnet",
    .summary = "MnasNet B1 (2018), width 1.0, ImageNet, 224x224.",
    .published_parameters = 4383312,
    .published_macs = 0.314e9,
    .build = [](uint64_t seed) { return build_searched("mnasnet", kMnasnetBlocks, seed); },
};

// Counted from proxylessnasnet.param, with two parameters to a channel whose batch norm it has
// folded.
extern const NetworkDef network_proxylessnasnet = {
    .name = "proxylessnasnet",
    .summary = "ProxylessNAS (2018), mobile, as in ncnn's benchmark, ImageNet, 224x224.",
    .published_parameters = 4081824,
    .published_macs = 336483904,
    .build =
        [](uint64_t seed) { return build_searched("proxylessnasnet", kProxylessBlocks, seed); },
};

}  // namespace hone
