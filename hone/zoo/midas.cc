// MiDaS v2.1 small (isl-org/MiDaS, midas_net_custom.py): depth from one image. An EfficientNet-Lite3
// without its head, and a decoder that merges its four scales.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct MidasStage {
  int64_t expansion;
  int64_t kernel;
  int64_t stride;
  int64_t channels;
  int repeats;
  bool kept;
};
constexpr MidasStage kMidasStages[] = {{1, 3, 1, 24, 1, false}, {6, 3, 2, 32, 3, true},
                                       {6, 5, 2, 48, 3, true},  {6, 3, 2, 96, 5, false},
                                       {6, 5, 1, 136, 5, true}, {6, 5, 2, 232, 6, false},
                                       {6, 3, 1, 384, 1, true}};
constexpr std::array<int64_t, 4> kMidasWidths = {64, 128, 256, 512};

class Midas {
 public:
  explicit Midas(uint64_t seed) : b_("midas_small", seed) {}

  Graph build() {
    Value* image = b_.input("input", {1, 3, 256, 256});
    const std::vector<Value*> scales = encoder(image);
    Value* path = nullptr;
    for (size_t i = scales.size(); i-- > 0;) path = fuse(path, scales, i);
    path = conv(path, 32, 3, "output_conv.0");
    path = b_.resize_like(path, image, Resizing::Bilinear, "output_conv.1");
    path = relu(conv(path, 32, 3, "output_conv.2"), "output_conv.3");
    return b_.finish(relu(conv(path, 1, 1, "output_conv.4"), "output_conv.5"), "depth");
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, const std::string& name) {
    return b_.conv(x, {.channels = channels, .kernel = kernel, .bias = true}, name);
  }

  Value* relu(Value* x, const std::string& name) {
    return b_.activation(x, Nonlinearity::Relu, name);
  }

  Value* block(Value* x, const MidasStage& stage, int64_t stride, const std::string& name) {
    const int64_t inputs = NetworkBuilder::channels(x);
    const int64_t n = inputs * stage.expansion;
    Value* y = x;
    if (n != inputs) {
      y = b_.conv_bn(y, {.channels = n}, Nonlinearity::Relu6, name + ".conv_pw", 1e-3);
    }
    const Conv depthwise = {.channels = n,
                            .kernel = stage.kernel,
                            .stride = stride,
                            .groups = n,
                            .padding = Padding::Same};
    y = b_.conv_bn(y, depthwise, Nonlinearity::Relu6, name + ".conv_dw", 1e-3);
    y = b_.conv_bn(y, {.channels = stage.channels}, Nonlinearity::None, name + ".conv_pwl", 1e-3);
    const bool residual = stride == 1 && inputs == stage.channels;
    return residual ? b_.apply("add", {y, x}, name + ".add") : y;
  }

  // 64 to 512 channels at 1/4 to 1/32 of the resolution.
  std::vector<Value*> encoder(Value* x) {
    const Conv stem = {.channels = 32, .kernel = 3, .stride = 2, .padding = Padding::Same};
    x = b_.conv_bn(x, stem, Nonlinearity::Relu6, "pretrained.stem", 1e-3);
    std::vector<Value*> scales;
    int number = 0;
    for (const MidasStage& stage : kMidasStages) {
      for (int i = 0; i < stage.repeats; ++i) {
        x = block(x, stage, i == 0 ? stage.stride : 1, str("pretrained.", number, ".", i));
      }
      ++number;
      if (!stage.kept) continue;
      const size_t scale = scales.size();
      const Conv reassemble = {.channels = kMidasWidths[scale], .kernel = 3};
      scales.push_back(b_.conv(x, reassemble, str("scratch.layer", scale + 1, "_rn")));
    }
    return scales;
  }

  Value* residual(Value* x, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    Value* y = conv(relu(x, name + ".relu1"), n, 3, name + ".conv1");
    y = conv(relu(y, name + ".relu2"), n, 3, name + ".conv2");
    return b_.apply("add", {y, x}, name + ".add");
  }

  // Adds scale i to what came from below, and brings the sum to the size of the next.
  Value* fuse(Value* path, const std::vector<Value*>& scales, size_t i) {
    const std::string name = str("scratch.refinenet", i + 1);
    Value* x = scales[i];
    if (path != nullptr) {
      x = b_.apply("add", {path, residual(x, name + ".resConfUnit1")}, name + ".skip_add");
    }
    x = residual(x, name + ".resConfUnit2");
    x = i > 0 ? b_.resize_like(x, scales[i - 1], Resizing::BilinearCorners, name + ".resize")
              : double_size(x, name + ".resize");
    return conv(x, i > 0 ? kMidasWidths[i - 1] : kMidasWidths[0], 1, name + ".out_conv");
  }

  Value* double_size(Value* x, const std::string& name) {
    Value* scales = b_.constant(name + ".scales", Tensor::of<float>({4}, {1, 1, 2, 2}));
    return b_.apply("resize", {x, nullptr, scales}, name,
                    {{"mode", std::string("linear")},
                     {"coordinate_transformation_mode", std::string("align_corners")}});
  }

  NetworkBuilder b_;
};

}  // namespace

// AI Hub states 16.6 M parameters. No MACs are published: those of a script over the layer list.
extern const NetworkDef network_midas_small = {
    .name = "midas_small",
    .summary = "MiDaS v2.1 small (2020), depth from an image, 256x256.",
    .published_parameters = 16.6e6,
    .published_macs = 4.595e9,
    .build = [](uint64_t seed) { return Midas(seed).build(); },
};

}  // namespace hone
