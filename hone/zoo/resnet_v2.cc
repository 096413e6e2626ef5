// "Identity Mappings in Deep Residual Networks" (2016) as in tensorflow/models (slim, resnet_v2.py):
// batch norm and relu before the convolutions, and the stride in the last unit of a stage.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

Value* resnet_v2_activate(NetworkBuilder& b, Value* x, const std::string& name) {
  return b.activation(b.batch_norm(x, name), Nonlinearity::Relu, name + ".relu");
}

Value* resnet_v2_unit(NetworkBuilder& b, Value* x, int64_t width, int64_t stride,
                      const std::string& name) {
  Value* active = resnet_v2_activate(b, x, name + ".preact");
  Value* shortcut = x;
  if (NetworkBuilder::channels(x) != 4 * width) {
    const Conv conv = {.channels = 4 * width, .stride = stride, .bias = true};
    shortcut = b.conv(active, conv, name + ".shortcut");
  } else if (stride != 1) {
    shortcut = b.max_pool(x, 1, stride, name + ".shortcut", Padding::Valid);
  }
  Value* y = b.conv_bn(active, {.channels = width}, Nonlinearity::Relu, name + ".conv1");
  const Conv threes = {.channels = width, .kernel = 3, .stride = stride};
  y = b.conv_bn(y, threes, Nonlinearity::Relu, name + ".conv2");
  y = b.conv(y, {.channels = 4 * width, .bias = true, .deviation = 0.5}, name + ".conv3");
  return b.apply("add", {shortcut, y}, name + ".add");
}

Graph build_resnet_v2(std::string_view network, const std::array<int, 4>& units, uint64_t seed) {
  NetworkBuilder b(network, seed);
  Value* x = b.input("input", {1, 3, 299, 299});
  x = b.conv(x, {.channels = 64, .kernel = 7, .stride = 2, .bias = true}, "conv1");
  x = b.max_pool(x, 3, 2, "pool1", Padding::Same);
  for (size_t stage = 0; stage < units.size(); ++stage) {
    for (int i = 0; i < units[stage]; ++i) {
      const int64_t stride = stage + 1 < units.size() && i + 1 == units[stage] ? 2 : 1;
      x = resnet_v2_unit(b, x, int64_t{64} << stage, stride,
                         str("block", stage + 1, ".unit_", i + 1));
    }
  }
  x = b.global_average_pool(resnet_v2_activate(b, x, "postnorm"), "pool5");
  return b.finish(b.linear(b.flatten(x, "flatten"), 1001, "logits"), "predictions");
}

}  // namespace

// Parameters as Keras states them (ResNet50V2: 25.6 M, 101: 44.7 M, 152: 60.4 M). MACs are not
// published for 299x299: those of a script over the layer list of resnet_v2.py.
extern const NetworkDef network_resnet_v2_50 = {
    .name = "resnet_v2_50",
    .summary = "ResNet v2 50 (2016), ImageNet, 299x299.",
    .published_parameters = 25.6e6,
    .published_macs = 6.536e9,
    .build =
        [](uint64_t seed) {
          return build_resnet_v2("resnet_v2_50", {3, 4, 6, 3}, seed);
        },
};

extern const NetworkDef network_resnet_v2_101 = {
    .name = "resnet_v2_101",
    .summary = "ResNet v2 101 (2016), ImageNet, 299x299.",
    .published_parameters = 44.7e6,
    .published_macs = 13.374e9,
    .build =
        [](uint64_t seed) {
          return build_resnet_v2("resnet_v2_101", {3, 4, 23, 3}, seed);
        },
};

extern const NetworkDef network_resnet_v2_152 = {
    .name = "resnet_v2_152",
    .summary = "ResNet v2 152 (2016), ImageNet, 299x299.",
    .published_parameters = 60.4e6,
    .published_macs = 20.211e9,
    .build =
        [](uint64_t seed) {
          return build_resnet_v2("resnet_v2_152", {3, 8, 36, 3}, seed);
        },
};

}  // namespace hone
