// Networks that make an image four times as high and wide, as AI Hub runs those of
// quic/aimet-model-zoo (super_resolution/models.py): QuickSRNet large (2023) and SESR-M5
// ("Collapsible Linear Blocks for Super-Efficient Super Resolution", 2021), whose pairs of linear
// convolutions are not collapsed.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kSuperResolutionScale = 4;
constexpr int64_t kSuperResolutionOutputs = 3 * kSuperResolutionScale * kSuperResolutionScale;

class SuperResolution {
 public:
  SuperResolution(std::string_view name, uint64_t seed) : b_(name, seed) {}

  Graph quicksrnet_large() {
    Value* image = b_.input("input", {1, 3, 128, 128});
    Value* x = image;
    for (int i = 0; i < 12; ++i) x = clip(conv(x, 64, 3, str("cnn.", i)), str("cnn.", i, ".clip"));
    x = conv(x, kSuperResolutionOutputs, 3, "conv_last");
    x = b_.apply("add", {conv(image, kSuperResolutionOutputs, 1, "anchor"), x}, "add_op");
    return b_.finish(shuffle(clip(x, "clip_output")), "output");
  }

  Graph sesr_m5() {
    Value* image = b_.input("input", {1, 3, 128, 128});
    Value* first = b_.activation(linear_block(image, 16, 5, "conv_first"), Nonlinearity::Relu,
                                 "conv_first.relu");
    Value* x = first;
    for (int i = 0; i < 5; ++i) {
      const std::string name = str("residual_block.", i);
      x = b_.apply("add", {x, linear_block(x, 16, 3, name)}, name + ".add");
      x = b_.activation(x, Nonlinearity::Relu, name + ".relu");
    }
    x = b_.apply("add", {x, first}, "add_residual");
    x = linear_block(x, kSuperResolutionOutputs, 5, "conv_last");
    x = b_.apply("add", {x, conv(image, kSuperResolutionOutputs, 1, "anchor")}, "add_upsampled");
    return b_.finish(shuffle(x), "output");
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, const std::string& name) {
    return b_.conv(x, {.channels = channels, .kernel = kernel, .bias = true}, name);
  }

  Value* linear_block(Value* x, int64_t channels, int64_t kernel, const std::string& name) {
    x = b_.conv(x, {.channels = 256, .kernel = kernel}, name + ".expand");
    return conv(x, channels, 1, name + ".squeeze");
  }

  Value* clip(Value* x, const std::string& name) {
    return b_.apply("clip", {x, b_.scalar(0), b_.scalar(1)}, name);
  }

  Value* shuffle(Value* x) {
    return b_.apply("depth_to_space", {x}, "depth_to_space",
                    {{"blocksize", kSuperResolutionScale}, {"mode", std::string("CRD")}});
  }

  NetworkBuilder b_;
};

// Every weight of a convolution meets every pixel.
constexpr double kSuperResolutionPixels = 128 * 128;

}  // namespace

// AI Hub states 436 k and 343 k parameters; MACs are the weights of the convolutions times the
// pixels.
extern const NetworkDef network_quicksrnetlarge = {
    .name = "quicksrnetlarge",
    .summary = "QuickSRNet large (2023), 128x128 to 512x512.",
    .published_parameters = 436e3,
    .published_macs = kSuperResolutionPixels * (9 * (3 * 64 + 11 * 64 * 64 + 64 * 48) + 3 * 48),
    .build =
        [](uint64_t seed) { return SuperResolution("quicksrnetlarge", seed).quicksrnet_large(); },
};

extern const NetworkDef network_sesr_m5 = {
    .name = "sesr_m5",
    .summary = "SESR-M5 (2021), 128x128 to 512x512, linear blocks not collapsed.",
    .published_parameters = 343e3,
    .published_macs =
        kSuperResolutionPixels * (256 * (25 * 3 + 16 + 5 * (9 * 16 + 16) + 25 * 16 + 48) + 3 * 48),
    .build = [](uint64_t seed) { return SuperResolution("sesr_m5", seed).sesr_m5(); },
};

}  // namespace hone
