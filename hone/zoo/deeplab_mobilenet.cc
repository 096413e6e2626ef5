// DeepLab v3+ ("Encoder-Decoder with Atrous Separable Convolution", 2018) on MobileNet v2 as in
// jfzhang95/pytorch-deeplab-xception, which AI Hub runs: the last stages keep 1/16 of the
// resolution, and the pyramid's convolutions are dense.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kDeeplabClasses = 21;
constexpr int64_t kDeeplabWidth = 256;
constexpr Resizing kDeeplabResizing = Resizing::BilinearCorners;

struct DeeplabStage {
  int64_t expansion;
  int64_t channels;
  int repeats;
  int64_t stride;
  int64_t dilation;
};
constexpr DeeplabStage kDeeplabStages[] = {{1, 16, 1, 1, 1}, {6, 24, 2, 2, 1}, {6, 32, 3, 2, 1},
                                           {6, 64, 4, 2, 1}, {6, 96, 3, 1, 1}, {6, 160, 3, 1, 1},
                                           {6, 320, 1, 1, 2}};

class DeepLabMobileNet {
 public:
  explicit DeepLabMobileNet(uint64_t seed) : b_("deeplabv3_plus_mobilenet", seed) {}

  Graph build() {
    Value* image = b_.input("input", {1, 3, 513, 513});
    const auto [low, high] = backbone(image);
    Value* x = decoder(pyramid(high), low);
    return b_.finish(b_.resize_like(x, image, kDeeplabResizing, "interpolate"), "out");
  }

 private:
  Value* relu(Value* x, const Conv& conv, const std::string& name) {
    return b_.conv_bn(x, conv, Nonlinearity::Relu, name);
  }

  Value* block(Value* x, const DeeplabStage& stage, int64_t stride, const std::string& name) {
    const int64_t inputs = NetworkBuilder::channels(x);
    const int64_t n = inputs * stage.expansion;
    Value* y = x;
    if (n != inputs) y = b_.conv_bn(y, {.channels = n}, Nonlinearity::Relu6, name + ".expand");
    const Conv depthwise = {
        .channels = n, .kernel = 3, .stride = stride, .groups = n, .dilation = stage.dilation};
    y = b_.conv_bn(y, depthwise, Nonlinearity::Relu6, name + ".depthwise");
    y = b_.conv_bn(y, {.channels = stage.channels}, Nonlinearity::None, name + ".project");
    const bool residual = stride == 1 && inputs == stage.channels;
    return residual ? b_.apply("add", {x, y}, name + ".add") : y;
  }

  // The features at 1/4 and at 1/16.
  std::pair<Value*, Value*> backbone(Value* x) {
    x = b_.conv_bn(x, {.channels = 32, .kernel = 3, .stride = 2}, Nonlinearity::Relu6,
                   "backbone.0");
    Value* low = nullptr;
    int number = 1;
    for (const DeeplabStage& stage : kDeeplabStages) {
      for (int i = 0; i < stage.repeats; ++i) {
        x = block(x, stage, i == 0 ? stage.stride : 1, str("backbone.", number++));
      }
      if (stage.channels == 24) low = x;
    }
    return {low, x};
  }

  Value* pyramid(Value* x) {
    std::vector<Value*> parts = {relu(x, {.channels = kDeeplabWidth}, "aspp.1")};
    for (const int64_t dilation : {6, 12, 18}) {
      const Conv atrous = {.channels = kDeeplabWidth, .kernel = 3, .dilation = dilation};
      parts.push_back(relu(x, atrous, str("aspp.", dilation)));
    }
    Value* mean = b_.global_average_pool(x, "aspp.mean");
    mean = relu(mean, {.channels = kDeeplabWidth}, "aspp.pooled");
    parts.push_back(b_.resize_like(mean, x, kDeeplabResizing, "aspp.spread"));
    return relu(b_.concat(parts, 1, "aspp.concat"), {.channels = kDeeplabWidth}, "aspp.conv1");
  }

  Value* decoder(Value* x, Value* low) {
    low = relu(low, {.channels = 48}, "decoder.conv1");
    x = b_.concat({b_.resize_like(x, low, kDeeplabResizing, "decoder.resize"), low}, 1,
                  "decoder.concat");
    x = relu(x, {.channels = kDeeplabWidth, .kernel = 3}, "decoder.last_conv.0");
    x = relu(x, {.channels = kDeeplabWidth, .kernel = 3}, "decoder.last_conv.1");
    return b_.conv(x, {.channels = kDeeplabClasses, .bias = true}, "decoder.last_conv.2");
  }

  NetworkBuilder b_;
};

}  // namespace

// AI Hub states 5.80 M parameters. No MACs are published: those of a script over the layer list.
extern const NetworkDef network_deeplabv3_plus_mobilenet = {
    .name = "deeplabv3_plus_mobilenet",
    .summary = "DeepLab v3+ on MobileNet v2 (2018), segmentation of 21 classes, 513x513.",
    .published_parameters = 5.80e6,
    .published_macs = 26.94e9,
    .build = [](uint64_t seed) { return DeepLabMobileNet(seed).build(); },
};

}  // namespace hone
