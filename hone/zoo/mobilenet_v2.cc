// "MobileNetV2: Inverted Residuals and Linear Bottlenecks" (2018), table 2, with torchvision's
// names.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct Stage {
  int64_t expansion;
  int64_t channels;
  int repeats;
  int64_t stride;
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                             {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

// Expand, filter each channel, project without activation.
Value* inverted_residual(NetworkBuilder& b, Value* x, const Stage& stage, int64_t stride,
                         const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  const int64_t expanded = inputs * stage.expansion;
  Value* y = x;
  int layer = 0;
  if (stage.expansion != 1) {
    y = b.conv_bn(y, {.channels = expanded}, Nonlinearity::Relu6, str(name, ".conv.", layer++));
  }
  y = b.conv_bn(y, {.channels = expanded, .kernel = 3, .stride = stride, .groups = expanded},
                Nonlinearity::Relu6, str(name, ".conv.", layer++));
  y = b.conv(y, {.channels = stage.channels}, str(name, ".conv.", layer));
  y = b.batch_norm(y, str(name, ".conv.", layer + 1), 1e-5, 0.5);
  const bool residual = stride == 1 && inputs == stage.channels;
  return residual ? b.apply("add", {x, y}, name + ".add") : y;
}

Graph build(uint64_t seed) {
  NetworkBuilder b("mobilenet_v2", seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  x = b.conv_bn(x, {.channels = 32, .kernel = 3, .stride = 2}, Nonlinearity::Relu6, "features.0");
  int block = 1;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      x = inverted_residual(b, x, stage, i == 0 ? stage.stride : 1, str("features.", block++));
    }
  }
  x = b.conv_bn(x, {.channels = 1280}, Nonlinearity::Relu6, str("features.", block));
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier.1"), "logits");
}

}  // namespace

// torchvision's model page (MobileNet_V2_Weights: num_params, _ops).
extern const NetworkDef network_mobilenet_v2 = {
    .name = "mobilenet_v2",
    .summary = "MobileNet v2 (2018), width 1.0, ImageNet, 224x224.",
    .published_parameters = 3504872,
    .published_macs = 0.301e9,
    .build = build,
};

}  // namespace hone
