// "U-Net: Convolutional Networks for Biomedical Image Segmentation" (2015) as Intel's
// unet-camvid-onnx-0001 has it (openvinotoolkit/nncf, examples, unet.py): batch norms, paddings that
// keep the size, 12 classes.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kUnetClasses = 12;
constexpr int kUnetDepth = 4;

class UNet {
 public:
  explicit UNet(uint64_t seed) : b_("unet_camvid", seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 368, 480});
    std::vector<Value*> kept;
    int64_t channels = 64;
    for (int i = 0; i < kUnetDepth; ++i, channels *= 2) {
      kept.push_back(twice(x, channels, str("down_path.", i)));
      x = b_.max_pool(kept.back(), 2, 2, str("down_path.", i, ".pool"), Padding::Valid);
    }
    x = twice(x, channels, str("down_path.", kUnetDepth));
    for (int i = 0; i < kUnetDepth; ++i) {
      channels /= 2;
      x = enlarge(x, channels, str("up_path.", i, ".up"));
      x = b_.concat({x, kept.back()}, 1, str("up_path.", i, ".concat"));
      x = twice(x, channels, str("up_path.", i, ".conv_block"));
      kept.pop_back();
    }
    x = b_.conv(x, {.channels = kUnetClasses, .bias = true}, "last");
    return b_.finish(b_.apply("softmax", {x}, "softmax", {{"axis", int64_t{1}}}), "out");
  }

 private:
  Value* twice(Value* x, int64_t channels, const std::string& name) {
    for (int i = 0; i < 2; ++i) {
      const std::string part = str(name, ".", i);
      x = b_.conv(x, {.channels = channels, .kernel = 3, .bias = true}, part + ".conv");
      x = b_.activation(b_.batch_norm(x, part + ".bn"), Nonlinearity::Relu, part + ".relu");
    }
    return x;
  }

  Value* enlarge(Value* x, int64_t channels, const std::string& name) {
    const Conv conv = {
        .channels = channels, .kernel = 2, .stride = 2, .padding = Padding::Valid, .bias = true};
    return b_.conv_transpose(x, conv, name);
  }

  NetworkBuilder b_;
};

}  // namespace

// openvinotoolkit/open_model_zoo (unet-camvid-onnx-0001): 31.03 M parameters, 260.1 GFLOPs, two per
// MAC.
extern const NetworkDef network_unet_camvid = {
    .name = "unet_camvid",
    .summary = "U-Net (2015), segmentation of streets (CamVid), 368x480.",
    .published_parameters = 31.03e6,
    .published_macs = 260.1e9 / 2,
    .build = [](uint64_t seed) { return UNet(seed).build(); },
};

}  // namespace hone
