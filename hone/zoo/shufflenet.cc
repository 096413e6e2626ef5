// "ShuffleNet: An Extremely Efficient Convolutional Neural Network for Mobile Devices" (2017) with
// three groups, and "ShuffleNet V2: Practical Guidelines for Efficient CNN Architecture Design"
// (2018), tables 1 and 5.

#include "hone/zoo/shufflenet.h"

#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int kShuffleRepeats[] = {3, 7, 3};  // Units of a stage behind the one that halves.
constexpr int64_t kShuffleGroups = 3;

class ShuffleStages {
 public:
  ShuffleStages(NetworkBuilder& b, const ShuffleNetV2Options& options) : b_(b), options_(options) {}

  std::vector<Value*> build(Value* image) {
    Value* x = conv(image, {.channels = 24, .kernel = 3, .stride = 2}, "stem");
    x = b_.max_pool(x, 3, 2, "maxpool");
    std::vector<Value*> stages;
    for (size_t stage = 0; stage < options_.channels.size(); ++stage) {
      const std::string name = str("stage", stage + 2, ".");
      x = halving(x, options_.channels[stage] / 2, name + "0");
      for (int i = 1; i <= kShuffleRepeats[stage]; ++i) x = unit(x, str(name, i));
      stages.push_back(x);
    }
    return stages;
  }

 private:
  Value* conv(Value* x, const Conv& conv, const std::string& name) {
    if (options_.leak == 0) return b_.conv_bn(x, conv, Nonlinearity::Relu, name);
    x = b_.batch_norm(b_.conv(x, conv, name + ".0"), name + ".1");
    return b_.leaky_relu(x, options_.leak, name + ".2");
  }

  // A filter per channel, without activation, and a mix of the channels.
  Value* separable(Value* x, int64_t channels, int64_t stride, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    x = b_.conv(x, {.channels = n, .kernel = 3, .stride = stride, .groups = n},
                name + ".depthwise");
    return conv(b_.batch_norm(x, name + ".bn"), {.channels = channels}, name + ".pointwise");
  }

  Value* branch(Value* x, int64_t channels, int64_t stride, const std::string& name) {
    x = conv(x, {.channels = channels}, name + ".mix");
    return separable(x, channels, stride, name);
  }

  Value* join(Value* a, Value* b, const std::string& name) {
    Value* x = b_.concat({a, b}, 1, name + ".concat");
    return options_.parts_by_parity ? x : b_.shuffle_channels(x, 2, name + ".shuffle");
  }

  Value* halving(Value* x, int64_t channels, const std::string& name) {
    Value* first = separable(x, channels, 2, name + ".branch1");
    return join(first, branch(x, channels, 2, name + ".branch2"), name);
  }

  Value* unit(Value* x, const std::string& name) {
    const int64_t half = NetworkBuilder::channels(x) / 2;
    if (options_.parts_by_parity) x = b_.shuffle_channels(x, half, name + ".shuffle");
    const std::vector<Value*> parts = b_.split(x, {half, half}, 1, name + ".split");
    return join(parts[0], branch(parts[1], half, 1, name + ".branch2"), name);
  }

  NetworkBuilder& b_;
  const ShuffleNetV2Options& options_;
};

Graph build_shufflenet_v2(std::string_view name, const std::array<int64_t, 3>& channels,
                          uint64_t seed) {
  NetworkBuilder b(name, seed);
  const ShuffleNetV2Options options = {.channels = channels};
  Value* x = shufflenet_v2_stages(b, b.input("input", {1, 3, 224, 224}), options).back();
  x = b.conv_bn(x, {.channels = 1024}, Nonlinearity::Relu, "conv5");
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.softmax(b.linear(x, 1000, "fc"), "softmax"), "output");
}

// The first unit sees too few channels for groups. Units that halve put the mean of x in front of
// what they compute; the others add x.
Value* shuffle_unit(NetworkBuilder& b, Value* x, int64_t channels, int64_t stride, bool first,
                    const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  const int64_t outputs = stride == 1 ? channels : channels - inputs;
  const int64_t inside = outputs / 4;
  Value* y = b.conv_bn(x, {.channels = inside, .groups = first ? 1 : kShuffleGroups},
                       Nonlinearity::Relu, name + ".reduce");
  if (!first) y = b.shuffle_channels(y, kShuffleGroups, name + ".shuffle");
  y = b.conv_bn(y, {.channels = inside, .kernel = 3, .stride = stride, .groups = inside},
                Nonlinearity::None, name + ".depthwise");
  y = b.conv_bn(y, {.channels = outputs, .groups = kShuffleGroups}, Nonlinearity::None,
                name + ".expand");
  if (stride == 1) {
    y = b.apply("add", {x, y}, name + ".add");
  } else {
    x = b.mean_pool(x, 3, 2, name + ".pool", Padding::Valid, true);
    y = b.concat({x, y}, 1, name + ".concat");
  }
  return b.activation(y, Nonlinearity::Relu, name + ".relu");
}

Graph build_shufflenet(const Shape& image, uint64_t seed) {
  NetworkBuilder b("shufflenet", seed);
  Value* x = b.input("input", image);
  x = b.conv_bn(x, {.channels = 24, .kernel = 3, .stride = 2}, Nonlinearity::Relu, "conv1");
  x = b.max_pool(x, 3, 2, "pool1", Padding::Valid, true);
  int64_t channels = 240;
  int number = 0;
  for (const int repeats : kShuffleRepeats) {
    for (int i = 0; i <= repeats; ++i, ++number) {
      x = shuffle_unit(b, x, channels, i == 0 ? 2 : 1, number == 0, str("unit.", number));
    }
    channels *= 2;
  }
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "fc"), "logits");
}

}  // namespace

std::vector<Value*> shufflenet_v2_stages(NetworkBuilder& b, Value* image,
                                         const ShuffleNetV2Options& options) {
  return ShuffleStages(b, options).build(image);
}

// Counted from shufflenet.param of ncnn's benchmark, with two parameters to a channel whose batch
// norm it has folded; the paper has 137 MFLOPs.
extern const NetworkDef network_shufflenet = {
    .name = "shufflenet",
    .summary = "ShuffleNet (2017), 3 groups, ImageNet, 224x224.",
    .published_parameters = 1814734,
    .published_macs = 127061304,
    .sized = {.extent = 224, .multiple = 32, .smallest = 64, .build = build_shufflenet},
};

// torchvision's model page (ShuffleNet_V2_X1_0_Weights: num_params, _ops); the same are counted
// from shufflenet_v2.param.
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

// The same page; its _ops have one digit (0.04), and the count is that of the layers in the paper's
// table 5.
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

}  // namespace hone
