// "Deep Residual Learning for Image Recognition" (2015), table 1, with torchvision's names and its
// stride in the 3x3 convolution of the bottleneck (v1.5); "Aggregated Residual Transformations for
// Deep Neural Networks" (2016) and "Wide Residual Networks" (2016) with the same blocks.

#include "hone/zoo/resnet.h"

#include "hone/zoo/zoo.h"

namespace hone {
namespace {

class ResNetStages {
 public:
  ResNetStages(NetworkBuilder& b, const ResnetOptions& options) : options_(options), b_(b) {}

  std::vector<Value*> build(Value* image) {
    Value* x = conv_bn(image, {.channels = 64, .kernel = 7, .stride = 2}, "", "1");
    x = b_.max_pool(relu(x, "relu"), 3, 2, "maxpool");
    std::vector<Value*> results;
    for (size_t stage = 0; stage < options_.blocks.size() && options_.blocks[stage] > 0; ++stage) {
      x = results.emplace_back(build_stage(x, stage));
    }
    return results;
  }

 private:
  // Strides and reach of the 3x3 convolution.
  struct Step {
    int64_t stride = 1;
    int64_t dilation = 1;
  };

  Value* build_stage(Value* x, size_t stage) {
    const bool dilates = options_.dilated && stage >= 2;
    Step step = {.stride = dilates ? 1 : options_.strides[stage], .dilation = dilation_};
    if (dilates) dilation_ *= 2;
    for (int i = 0; i < options_.blocks[stage]; ++i) {
      x = block(x, int64_t{64} << stage, step, str("layer", stage + 1, ".", i, "."));
      step = {.stride = 1, .dilation = dilation_};
    }
    return x;
  }

  Value* conv_bn(Value* x, const Conv& conv, const std::string& name, const std::string& number) {
    return b_.batch_norm(b_.conv(x, conv, name + "conv" + number), name + "bn" + number);
  }

  Value* relu(Value* x, const std::string& name) {
    return b_.activation(x, Nonlinearity::Relu, name);
  }

  Value* block(Value* x, int64_t width, const Step& step, const std::string& name) {
    const int64_t outputs = options_.bottleneck ? 4 * width : width;
    Value* y = options_.bottleneck ? bottleneck(x, width, step, name) : basic(x, width, step, name);
    if (step.stride != 1 || NetworkBuilder::channels(x) != outputs) {
      const Conv shortcut = {.channels = outputs, .stride = step.stride};
      x = b_.conv_bn(x, shortcut, Nonlinearity::None, name + "downsample");
    }
    return relu(b_.apply("add", {y, x}, name + "add"), name + "relu");
  }

  Value* bottleneck(Value* x, int64_t width, const Step& step, const std::string& name) {
    const int64_t inner = width * options_.group_width / 64 * options_.groups;
    const int64_t first = options_.stride_in_first ? step.stride : 1;
    x = conv_bn(x, {.channels = inner, .stride = first}, name, "1");
    x = relu(x, name + "relu1");
    const Conv threes = {.channels = inner,
                         .kernel = 3,
                         .stride = step.stride / first,
                         .groups = options_.groups,
                         .dilation = step.dilation};
    x = relu(conv_bn(x, threes, name, "2"), name + "relu2");
    return conv_bn(x, {.channels = 4 * width}, name, "3");
  }

  Value* basic(Value* x, int64_t width, const Step& step, const std::string& name) {
    x = conv_bn(x, {.channels = width, .kernel = 3, .stride = step.stride}, name, "1");
    return conv_bn(relu(x, name + "relu1"), {.channels = width, .kernel = 3}, name, "2");
  }

  const ResnetOptions& options_;
  NetworkBuilder& b_;
  int64_t dilation_ = 1;
};

Graph build_resnet(std::string_view name, const ResnetOptions& options, uint64_t seed) {
  NetworkBuilder b(name, seed);
  Value* x = resnet_stages(b, b.input("input", {1, 3, 224, 224}), options).back();
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "fc"), "logits");
}

constexpr ResnetOptions kResNet18 = {.blocks = {2, 2, 2, 2}, .bottleneck = false};
constexpr ResnetOptions kResNet34 = {.blocks = {3, 4, 6, 3}, .bottleneck = false};
constexpr ResnetOptions kResNet50 = {.blocks = {3, 4, 6, 3}};
constexpr ResnetOptions kResNet50V1 = {.blocks = {3, 4, 6, 3}, .stride_in_first = true};
constexpr ResnetOptions kResNet101 = {.blocks = {3, 4, 23, 3}};
constexpr ResnetOptions kResNet152 = {.blocks = {3, 8, 36, 3}};
constexpr ResnetOptions kResNext101 = {.blocks = {3, 4, 23, 3}, .groups = 32, .group_width = 8};
constexpr ResnetOptions kWideResNet50 = {.blocks = {3, 4, 6, 3}, .group_width = 128};

}  // namespace

std::vector<Value*> resnet_stages(NetworkBuilder& b, Value* image, const ResnetOptions& options) {
  return ResNetStages(b, options).build(image);
}

// torchvision's model pages (ResNet*_Weights, ResNeXt*_Weights, Wide_ResNet*_Weights: num_params,
// _ops).
extern const NetworkDef network_resnet18 = {
    .name = "resnet18",
    .summary = "ResNet-18 (2015), ImageNet, 224x224.",
    .published_parameters = 11689512,
    .published_macs = 1.814e9,
    .build = [](uint64_t seed) { return build_resnet("resnet18", kResNet18, seed); },
};

extern const NetworkDef network_resnet34 = {
    .name = "resnet34",
    .summary = "ResNet-34 (2015), ImageNet, 224x224.",
    .published_parameters = 21797672,
    .published_macs = 3.664e9,
    .build = [](uint64_t seed) { return build_resnet("resnet34", kResNet34, seed); },
};

extern const NetworkDef network_resnet50 = {
    .name = "resnet50",
    .summary = "ResNet-50 v1.5 (2015), ImageNet, 224x224.",
    .published_parameters = 25557032,
    .published_macs = 4.089e9,
    .build = [](uint64_t seed) { return build_resnet("resnet50", kResNet50, seed); },
};

extern const NetworkDef network_resnet101 = {
    .name = "resnet101",
    .summary = "ResNet-101 v1.5 (2015), ImageNet, 224x224.",
    .published_parameters = 44549160,
    .published_macs = 7.801e9,
    .build = [](uint64_t seed) { return build_resnet("resnet101", kResNet101, seed); },
};

// Counted from resnet50.param of ncnn's benchmark, which is the authors' of Caffe; the paper has 3.8
// GFLOPs.
extern const NetworkDef network_resnet50_v1 = {
    .name = "resnet50_v1",
    .summary = "ResNet-50 v1 (2015) as in Caffe, ImageNet, 224x224.",
    .published_parameters = 25557032,
    .published_macs = 3857973248,
    .build = [](uint64_t seed) { return build_resnet("resnet50_v1", kResNet50V1, seed); },
};

extern const NetworkDef network_resnet152 = {
    .name = "resnet152",
    .summary = "ResNet-152 v1.5 (2015), ImageNet, 224x224.",
    .published_parameters = 60192808,
    .published_macs = 11.514e9,
    .build = [](uint64_t seed) { return build_resnet("resnet152", kResNet152, seed); },
};

extern const NetworkDef network_resnext50 = {
    .name = "resnext50",
    .summary = "ResNeXt-50 32x4d (2016), ImageNet, 224x224.",
    .published_parameters = 25028904,
    .published_macs = 4.230e9,
    .build = [](uint64_t seed) { return build_resnet("resnext50", kResNext50, seed); },
};

extern const NetworkDef network_resnext101 = {
    .name = "resnext101",
    .summary = "ResNeXt-101 32x8d (2016), ImageNet, 224x224.",
    .published_parameters = 88791336,
    .published_macs = 16.414e9,
    .build = [](uint64_t seed) { return build_resnet("resnext101", kResNext101, seed); },
};

extern const NetworkDef network_wide_resnet50 = {
    .name = "wide_resnet50",
    .summary = "Wide ResNet-50-2 (2016), ImageNet, 224x224.",
    .published_parameters = 68883240,
    .published_macs = 11.398e9,
    .build = [](uint64_t seed) { return build_resnet("wide_resnet50", kWideResNet50, seed); },
};

}  // namespace hone
