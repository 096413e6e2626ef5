// "A Closer Look at Spatiotemporal Convolutions for Action Recognition" (2017), with torchvision's
// names: ResNet-18 on 16 frames of 112x112. Convolutions are 3x3x3 (r3d), 3x3x3 in the first stage
// and 1x3x3 behind it (mc3), or 1x3x3 followed by 3x1x1 (r2plus1d).

#include <array>
#include <cmath>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

enum class VideoConv { Cube, Frame, Split };

struct VideoResnetVariant {
  std::string_view name;
  std::array<VideoConv, 4> convs;
};

class VideoResNet {
 public:
  VideoResNet(const VideoResnetVariant& variant, uint64_t seed)
      : variant_(variant), b_(variant.name, seed) {}

  Graph build() {
    Value* x = stem(b_.input("input", {1, 3, 16, 112, 112}));
    for (size_t stage = 0; stage < variant_.convs.size(); ++stage) {
      for (int i = 0; i < 2; ++i) {
        const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        x = block(x, int64_t{64} << stage, stride, variant_.convs[stage],
                  str("layer", stage + 1, ".", i));
      }
    }
    x = b_.flatten(b_.global_average_pool(x, "avgpool"), "flatten");
    return b_.finish(b_.linear(x, 400, "fc"), "logits");
  }

 private:
  // Paddings keep the extents.
  Value* conv(Value* x, int64_t channels, const Ints& kernel, const Ints& strides,
              const std::string& name) {
    const int64_t inputs = NetworkBuilder::channels(x);
    const int64_t fan_in = inputs * kernel[0] * kernel[1] * kernel[2];
    Value* w = b_.factors(name + ".weight", {channels, inputs, kernel[0], kernel[1], kernel[2]},
                          std::sqrt(2.0 / static_cast<double>(fan_in)));
    Ints pads;
    for (const int64_t extent : kernel) pads.push_back(extent / 2);
    pads.insert(pads.end(), pads.begin(), pads.begin() + 3);
    return b_.apply("conv", {x, w}, name,
                    {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}});
  }

  Value* norm(Value* x, const std::string& name) { return b_.batch_norm(x, name); }

  Value* active(Value* x, const std::string& name) {
    return b_.activation(norm(x, name + ".bn"), Nonlinearity::Relu, name + ".relu");
  }

  Value* stem(Value* x) {
    if (variant_.convs[1] != VideoConv::Split) {
      return active(conv(x, 64, {3, 7, 7}, {1, 2, 2}, "stem.0"), "stem.1");
    }
    x = active(conv(x, 45, {1, 7, 7}, {1, 2, 2}, "stem.0"), "stem.1");
    return active(conv(x, 64, {3, 1, 1}, {1, 1, 1}, "stem.3"), "stem.4");
  }

  // `middle` is the width between the two parts of a split convolution.
  Value* filter(Value* x, int64_t channels, int64_t middle, int64_t stride, VideoConv kind,
                const std::string& name) {
    switch (kind) {
      case VideoConv::Cube:
        return conv(x, channels, {3, 3, 3}, {stride, stride, stride}, name);
      case VideoConv::Frame:
        return conv(x, channels, {1, 3, 3}, {1, stride, stride}, name);
      case VideoConv::Split:
        break;
    }
    x = active(conv(x, middle, {1, 3, 3}, {1, stride, stride}, name + ".0"), name + ".1");
    return conv(x, channels, {3, 1, 1}, {stride, 1, 1}, name + ".3");
  }

  Value* block(Value* x, int64_t channels, int64_t stride, VideoConv kind,
               const std::string& name) {
    const int64_t inputs = NetworkBuilder::channels(x);
    const int64_t middle = 27 * inputs * channels / (9 * inputs + 3 * channels);
    Value* y = filter(x, channels, middle, stride, kind, name + ".conv1");
    y = active(y, name + ".conv1.act");
    y = norm(filter(y, channels, middle, 1, kind, name + ".conv2"), name + ".conv2.bn");
    if (stride != 1 || inputs != channels) {
      const int64_t in_time = kind == VideoConv::Frame ? 1 : stride;
      x = conv(x, channels, {1, 1, 1}, {in_time, stride, stride}, name + ".downsample.0");
      x = norm(x, name + ".downsample.1");
    }
    return b_.activation(b_.apply("add", {y, x}, name + ".add"), Nonlinearity::Relu,
                         name + ".relu");
  }

  const VideoResnetVariant& variant_;
  NetworkBuilder b_;
};

constexpr VideoConv kCube = VideoConv::Cube;
constexpr VideoConv kFrame = VideoConv::Frame;
constexpr VideoConv kSplit = VideoConv::Split;
constexpr VideoResnetVariant kR3d = {"resnet_3d", {kCube, kCube, kCube, kCube}};
constexpr VideoResnetVariant kMc3 = {"resnet_mixed", {kCube, kFrame, kFrame, kFrame}};
constexpr VideoResnetVariant kR2Plus1d = {"resnet_2plus1d", {kSplit, kSplit, kSplit, kSplit}};

}  // namespace

// torchvision's model pages (R3D_18_Weights, MC3_18_Weights, R2Plus1D_18_Weights: num_params, _ops).
extern const NetworkDef network_resnet_3d = {
    .name = "resnet_3d",
    .summary = "ResNet-18 of 3x3x3 convolutions (2017), Kinetics, 16 frames of 112x112.",
    .published_parameters = 33371472,
    .published_macs = 40.697e9,
    .build = [](uint64_t seed) { return VideoResNet(kR3d, seed).build(); },
};

extern const NetworkDef network_resnet_mixed = {
    .name = "resnet_mixed",
    .summary = "ResNet-18 of mixed convolutions, MC3 (2017), Kinetics, 16 frames of 112x112.",
    .published_parameters = 11695440,
    .published_macs = 43.343e9,
    .build = [](uint64_t seed) { return VideoResNet(kMc3, seed).build(); },
};

extern const NetworkDef network_resnet_2plus1d = {
    .name = "resnet_2plus1d",
    .summary = "ResNet-18 of split convolutions, R(2+1)D (2017), Kinetics, 16 frames of 112x112.",
    .published_parameters = 31505325,
    .published_macs = 40.519e9,
    .build = [](uint64_t seed) { return VideoResNet(kR2Plus1d, seed).build(); },
};

}  // namespace hone
