// "Deep Residual Learning for Image Recognition" (2015), table 1, with torchvision's names and its
// stride in the 3x3 convolution of the bottleneck (v1.5).

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct ResnetVariant {
  std::string_view name;
  std::array<int, 4> blocks;
  bool bottleneck;
};

class ResNet {
 public:
  ResNet(const ResnetVariant& variant, uint64_t seed) : variant_(variant), b_(variant.name, seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 224, 224});
    x = conv_bn(x, {.channels = 64, .kernel = 7, .stride = 2}, "", "1");
    x = b_.activation(x, Nonlinearity::Relu, "relu");
    x = b_.max_pool(x, 3, 2, "maxpool");
    int64_t width = 64;
    for (size_t stage = 0; stage < variant_.blocks.size(); ++stage, width *= 2) {
      for (int i = 0; i < variant_.blocks[stage]; ++i) {
        const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        x = block(x, width, stride, str("layer", stage + 1, ".", i, "."));
      }
    }
    x = b_.flatten(b_.global_average_pool(x, "avgpool"), "flatten");
    return b_.finish(b_.linear(x, 1000, "fc"), "logits");
  }

 private:
  Value* conv_bn(Value* x, const Conv& conv, const std::string& name, const std::string& number) {
    return b_.batch_norm(b_.conv(x, conv, name + "conv" + number), name + "bn" + number);
  }

  Value* relu(Value* x, const std::string& name) {
    return b_.activation(x, Nonlinearity::Relu, name);
  }

  Value* block(Value* x, int64_t width, int64_t stride, const std::string& name) {
    const int64_t outputs = variant_.bottleneck ? 4 * width : width;
    Value* y = x;
    if (variant_.bottleneck) {
      y = relu(conv_bn(y, {.channels = width}, name, "1"), name + "relu1");
      y = conv_bn(y, {.channels = width, .kernel = 3, .stride = stride}, name, "2");
      y = relu(y, name + "relu2");
      y = conv_bn(y, {.channels = outputs}, name, "3");
    } else {
      y = conv_bn(y, {.channels = width, .kernel = 3, .stride = stride}, name, "1");
      y = relu(y, name + "relu1");
      y = conv_bn(y, {.channels = width, .kernel = 3}, name, "2");
    }
    if (stride != 1 || NetworkBuilder::channels(x) != outputs) {
      const Conv shortcut = {.channels = outputs, .stride = stride};
      x = b_.conv_bn(x, shortcut, Nonlinearity::None, name + "downsample");
    }
    return relu(b_.apply("add", {y, x}, name + "add"), name + "relu");
  }

  const ResnetVariant& variant_;
  NetworkBuilder b_;
};

constexpr ResnetVariant kResNet18 = {"resnet18", {2, 2, 2, 2}, false};
constexpr ResnetVariant kResNet50 = {"resnet50", {3, 4, 6, 3}, true};
constexpr ResnetVariant kResNet152 = {"resnet152", {3, 8, 36, 3}, true};

}  // namespace

// torchvision's model pages (ResNet*_Weights: num_params, _ops).
extern const NetworkDef network_resnet18 = {
    .name = "resnet18",
    .summary = "ResNet-18 (2015), ImageNet, 224x224.",
    .published_parameters = 11689512,
    .published_macs = 1.814e9,
    .build = [](uint64_t seed) { return ResNet(kResNet18, seed).build(); },
};

extern const NetworkDef network_resnet50 = {
    .name = "resnet50",
    .summary = "ResNet-50 v1.5 (2015), ImageNet, 224x224.",
    .published_parameters = 25557032,
    .published_macs = 4.089e9,
    .build = [](uint64_t seed) { return ResNet(kResNet50, seed).build(); },
};

extern const NetworkDef network_resnet152 = {
    .name = "resnet152",
    .summary = "ResNet-152 v1.5 (2015), ImageNet, 224x224.",
    .published_parameters = 60192808,
    .published_macs = 11.514e9,
    .build = [](uint64_t seed) { return ResNet(kResNet152, seed).build(); },
};

}  // namespace hone
