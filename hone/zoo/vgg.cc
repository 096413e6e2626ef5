// "Very Deep Convolutional Networks for Large-Scale Image Recognition" (2014), table 1, column D,
// with torchvision's names.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct Stage {
  int64_t channels;
  int repeats;
};
constexpr Stage kStages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};

Graph build(uint64_t seed) {
  NetworkBuilder b("vgg16", seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  int layer = 0;
  const auto next = [&] { return str("features.", layer++); };
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      x = b.conv(x, {.channels = stage.channels, .kernel = 3, .bias = true}, next());
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

// torchvision's model page (VGG16_Weights: num_params, _ops).
extern const NetworkDef network_vgg16 = {
    .name = "vgg16",
    .summary = "VGG-16 (2014), ImageNet, 224x224.",
    .published_parameters = 138357544,
    .published_macs = 15.47e9,
    .build = build,
};

}  // namespace hone
