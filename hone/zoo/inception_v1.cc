// "Going Deeper with Convolutions" (2014), table 1: GoogLeNet. As in torchvision and TensorFlow,
// the trained network that is in use: batch norms, and 3x3 convolutions where the paper has 5x5.
// Without the two classifiers that only help training. And GoogLeNet as the paper has it and Caffe's
// bvlc_googlenet: 5x5 convolutions, biases, and normalization across channels.

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

class InceptionV1 {
 public:
  InceptionV1(std::string_view name, bool original, uint64_t seed)
      : original_(original), b_(name, seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 224, 224});
    x = norm(pool(conv(x, {.channels = 64, .kernel = 7, .stride = 2}, "conv1"), 3, "maxpool1"), 1);
    x = conv(x, {.channels = 64}, "conv2");
    x = pool(norm(conv(x, {.channels = 192, .kernel = 3}, "conv3"), 2), 3, "maxpool2");
    for (const Module& module : kStage3) x = inception(x, module);
    x = pool(x, 3, "maxpool3");
    for (const Module& module : kStage4) x = inception(x, module);
    x = pool(x, original_ ? 3 : 2, "maxpool4");
    for (const Module& module : kStage5) x = inception(x, module);
    x = b_.flatten(b_.global_average_pool(x, "avgpool"), "flatten");
    x = b_.linear(x, 1000, "fc");
    return original_ ? b_.finish(b_.softmax(x, "prob"), "output") : b_.finish(x, "logits");
  }

 private:
  Value* conv(Value* x, Conv conv, const std::string& name) {
    if (!original_) return b_.conv_bn(x, conv, Nonlinearity::Relu, name, 1e-3);
    conv.bias = true;
    return b_.activation(b_.conv(x, conv, name), Nonlinearity::Relu, name + ".relu");
  }

  Value* norm(Value* x, int number) {
    if (!original_) return x;
    return b_.apply("lrn", {x}, str("norm", number), {{"size", int64_t{5}}});
  }

  Value* pool(Value* x, int64_t kernel, const std::string& name) {
    return b_.max_pool(x, kernel, 2, name, Padding::Valid, true);
  }

  Value* inception(Value* x, const Module& module) {
    const std::string name = str("inception", module.name);
    const auto branch = [&](int64_t before, const Conv& last, const std::string& part) {
      Value* y = conv(x, {.channels = before}, str(name, ".", part, ".0"));
      return conv(y, last, str(name, ".", part, ".1"));
    };
    Value* ones = conv(x, {.channels = module.ones}, name + ".branch1");
    Value* threes =
        branch(module.threes_before, {.channels = module.threes, .kernel = 3}, "branch2");
    const Conv large = {.channels = module.fives, .kernel = original_ ? 5 : 3};
    Value* fives = branch(module.fives_before, large, "branch3");
    Value* pooled = b_.max_pool(x, 3, 1, name + ".branch4.0");
    pooled = conv(pooled, {.channels = module.pooled}, name + ".branch4.1");
    return b_.concat({ones, threes, fives, pooled}, 1, name + ".concat");
  }

  bool original_;
  NetworkBuilder b_;
};

}  // namespace

// torchvision's model page (GoogLeNet_Weights: num_params, _ops).
extern const NetworkDef network_inception_v1 = {
    .name = "inception_v1",
    .summary = "Inception v1, GoogLeNet (2014), ImageNet, 224x224.",
    .published_parameters = 6624904,
    .published_macs = 1.498e9,
    .build = [](uint64_t seed) { return InceptionV1("inception_v1", false, seed).build(); },
};

// Counted from googlenet.param of ncnn's benchmark.
extern const NetworkDef network_googlenet = {
    .name = "googlenet",
    .summary = "GoogLeNet (2014) as in Caffe, ImageNet, 224x224.",
    .published_parameters = 6998552,
    .published_macs = 1582671872,
    .build = [](uint64_t seed) { return InceptionV1("googlenet", true, seed).build(); },
};

}  // namespace hone
