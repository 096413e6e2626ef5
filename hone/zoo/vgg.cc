// "Very Deep Convolutional Networks for Large-Scale Image Recognition" (2014), table 1, columns D
// and E, with torchvision's names.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr std::array<int64_t, 5> kChannels = {64, 128, 256, 512, 512};

// `repeats`: convolutions of each stage.
Graph build_vgg(std::string_view name, const std::array<int, 5>& repeats, uint64_t seed) {
  NetworkBuilder b(name, seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  int layer = 0;
  const auto next = [&] { return str("features.", layer++); };
  for (size_t stage = 0; stage < kChannels.size(); ++stage) {
    for (int i = 0; i < repeats[stage]; ++i) {
      x = b.conv(x, {.channels = kChannels[stage], .kernel = 3, .bias = true}, next());
      x = b.activation(x, Nonlinearity::Relu, next());
    }
    x = b.max_pool(x, 2, 2, next());
  }
  x = b.flatten(x, "flatten");
  x = b.activation(b.linear(x, 4096, "classifier.0"), Nonlinearity::Relu, "classifier.1");
  x = b.activation(b.linear(x, 4096, "classifier.3"), Nonlinearity::Relu, "classifier.4");
  return b.finish(b.linear(x, 1000, "classifier.6"), "logits");
}

}  // namespace

// torchvision's model pages (VGG*_Weights: num_params, _ops).
extern const NetworkDef network_vgg16 = {
    .name = "vgg16",
    .summary = "VGG-16 (2014), ImageNet, 224x224.",
    .published_parameters = 138357544,
    .published_macs = 15.47e9,
    .build =
        [](uint64_t seed) {
          return build_vgg("vgg16", {2, 2, 3, 3, 3}, seed);
        },
};

extern const NetworkDef network_vgg19 = {
    .name = "vgg19",
    .summary = "VGG-19 (2014), ImageNet, 224x224.",
    .published_parameters = 143667240,
    .published_macs = 19.632e9,
    .build =
        [](uint64_t seed) {
          return build_vgg("vgg19", {2, 2, 4, 4, 4}, seed);
        },
};

}  // namespace hone
