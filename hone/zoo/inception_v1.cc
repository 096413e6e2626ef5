// "Going Deeper with Convolutions" (2014), table 1: GoogLeNet. As in torchvision and TensorFlow,
// the trained network that is in use: batch norms, and 3x3 convolutions where the paper has 5x5.
// Without the two classifiers that only help training.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

// Widths of the four branches; of the second and third also that of the 1x1 convolution before.
struct Module {
  std::string_view name;
  int64_t ones;
  int64_t threes_before, threes;
  int64_t fives_before, fives;
  int64_t pooled;
};

constexpr Module kStage3[] = {{"3a", 64, 96, 128, 16, 32, 32}, {"3b", 128, 128, 192, 32, 96, 64}};
constexpr Module kStage4[] = {{"4a", 192, 96, 208, 16, 48, 64},
                              {"4b", 160, 112, 224, 24, 64, 64},
                              {"4c", 128, 128, 256, 24, 64, 64},
                              {"4d", 112, 144, 288, 32, 64, 64},
                              {"4e", 256, 160, 320, 32, 128, 128}};
constexpr Module kStage5[] = {{"5a", 256, 160, 320, 32, 128, 128},
                              {"5b", 384, 192, 384, 48, 128, 128}};

Value* conv(NetworkBuilder& b, Value* x, const Conv& conv, const std::string& name) {
  return b.conv_bn(x, conv, Nonlinearity::Relu, name, 1e-3);
}

Value* inception(NetworkBuilder& b, Value* x, const Module& module) {
  const std::string name = str("inception", module.name);
  const auto branch = [&](int64_t before, int64_t channels, const std::string& part) {
    Value* y = conv(b, x, {.channels = before}, str(name, ".", part, ".0"));
    return conv(b, y, {.channels = channels, .kernel = 3}, str(name, ".", part, ".1"));
  };
  Value* ones = conv(b, x, {.channels = module.ones}, name + ".branch1");
  Value* threes = branch(module.threes_before, module.threes, "branch2");
  Value* fives = branch(module.fives_before, module.fives, "branch3");
  Value* pooled = b.max_pool(x, 3, 1, name + ".branch4.0");
  pooled = conv(b, pooled, {.channels = module.pooled}, name + ".branch4.1");
  return b.concat({ones, threes, fives, pooled}, 1, name + ".concat");
}

Graph build_inception_v1(uint64_t seed) {
  NetworkBuilder b("inception_v1", seed);
  const auto pool = [&](Value* x, int64_t kernel, const std::string& name) {
    return b.max_pool(x, kernel, 2, name, Padding::Valid, true);
  };
  Value* x = b.input("input", {1, 3, 224, 224});
  x = pool(conv(b, x, {.channels = 64, .kernel = 7, .stride = 2}, "conv1"), 3, "maxpool1");
  x = conv(b, x, {.channels = 64}, "conv2");
  x = pool(conv(b, x, {.channels = 192, .kernel = 3}, "conv3"), 3, "maxpool2");
  for (const Module& module : kStage3) x = inception(b, x, module);
  x = pool(x, 3, "maxpool3");
  for (const Module& module : kStage4) x = inception(b, x, module);
  x = pool(x, 2, "maxpool4");
  for (const Module& module : kStage5) x = inception(b, x, module);
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "fc"), "logits");
}

}  // namespace

// torchvision's model page (GoogLeNet_Weights: num_params, _ops).
extern const NetworkDef network_inception_v1 = {
    .name = "inception_v1",
    .summary = "Inception v1, GoogLeNet (2014), ImageNet, 224x224.",
    .published_parameters = 6624904,
    .published_macs = 1.498e9,
    .build = build_inception_v1,
};

}  // namespace hone
