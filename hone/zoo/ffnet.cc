// "Simple and Efficient Architectures for Semantic Segmentation" (2022; Qualcomm-AI-research/FFNet):
// a slim ResNet of basic blocks, pointwise adapters, a top-down path, and a head on all scales
// concatenated at the largest. The results have a quarter of the stem's resolution or less.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kFfnetClasses = 19;
constexpr std::array<int64_t, 4> kFfnetWidths = {64, 128, 192, 320};

struct FfnetVariant {
  std::string_view name;
  Shape input;
  std::array<int, 4> blocks;
  int64_t first_stride;
  std::array<int64_t, 4> adapters;  // Largest scale first, as all of them.
  std::array<int64_t, 4> outputs;
  int64_t head;
  int64_t last_kernel;
};

class FFNet {
 public:
  FFNet(const FfnetVariant& variant, uint64_t seed) : variant_(variant), b_(variant.name, seed) {}

  Graph build() {
    std::vector<Value*> scales = backbone(b_.input("input", variant_.input));
    for (size_t i = 0; i < scales.size(); ++i) {
      scales[i] = conv(scales[i], variant_.adapters[i], 1, 1, str("head.adapter.", i));
    }
    scales = top_down(scales);
    for (size_t i = 1; i < scales.size(); ++i) {
      scales[i] = b_.resize_like(scales[i], scales[0], Resizing::Nearest, str("head.up.", i));
    }
    Value* x = b_.concat(scales, 1, "head.concat");
    x = b_.conv(x, {.channels = variant_.head, .kernel = 3, .bias = true}, "head.last.0");
    x = b_.activation(b_.batch_norm(x, "head.last.1"), Nonlinearity::Relu, "head.last.2");
    const Conv last = {.channels = kFfnetClasses, .kernel = variant_.last_kernel, .bias = true};
    return b_.finish(b_.conv(x, last, "head.last.3"), "out");
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name) {
    return b_.conv_bn(x, {.channels = channels, .kernel = kernel, .stride = stride},
                      Nonlinearity::Relu, name);
  }

  Value* block(Value* x, int64_t channels, int64_t stride, const std::string& name) {
    Value* y = conv(x, channels, 3, stride, name + ".conv1");
    y = b_.conv_bn(y, {.channels = channels, .kernel = 3}, Nonlinearity::None, name + ".conv2");
    if (stride != 1 || NetworkBuilder::channels(x) != channels) {
      x = b_.conv_bn(x, {.channels = channels, .stride = stride}, Nonlinearity::None,
                     name + ".downsample");
    }
    return b_.activation(b_.apply("add", {x, y}, name + ".add"), Nonlinearity::Relu,
                         name + ".relu");
  }

  std::vector<Value*> backbone(Value* x) {
    x = conv(conv(x, 32, 3, 2, "backbone.conv0"), 64, 3, 2, "backbone.conv1");
    std::vector<Value*> scales;
    for (size_t stage = 0; stage < kFfnetWidths.size(); ++stage) {
      for (int i = 0; i < variant_.blocks[stage]; ++i) {
        const int64_t stride = i > 0 ? 1 : stage == 0 ? variant_.first_stride : 2;
        x = block(x, kFfnetWidths[stage], stride, str("backbone.layer", stage + 1, ".", i));
      }
      scales.push_back(x);
    }
    return scales;
  }

  std::vector<Value*> top_down(const std::vector<Value*>& scales) {
    std::vector<Value*> results(scales.size());
    Value* x = scales.back();
    for (size_t i = scales.size(); i-- > 0;) {
      results[i] = conv(x, variant_.outputs[i], 3, 1, str("head.sm.", i));
      if (i == 0) break;
      Value* up = conv(x, variant_.adapters[i - 1], 1, 1, str("head.fam_up.", i));
      up = b_.resize_like(up, scales[i - 1], Resizing::Nearest, str("head.fam_resize.", i));
      x = b_.apply("add", {up, scales[i - 1]}, str("head.fam_add.", i));
    }
    return results;
  }

  const FfnetVariant& variant_;
  NetworkBuilder b_;
};

const FfnetVariant kFfnet40S = {"ffnet_40s",         {1, 3, 1024, 2048}, {4, 5, 6, 4}, 2,
                                {64, 128, 128, 256}, {96, 96, 64, 32},   256,          3};
const FfnetVariant kFfnet78SLowres = {"ffnet_78s_lowres",
                                      {1, 3, 512, 1024},
                                      {6, 12, 12, 8},
                                      1,
                                      {128, 128, 128, 128},
                                      {128, 16, 16, 16},
                                      128,
                                      1};

}  // namespace

// AI Hub states 13.9 M and 26.8 M parameters. No MACs are published: those of a script over the
// layer list.
extern const NetworkDef network_ffnet_40s = {
    .name = "ffnet_40s",
    .summary = "FFNet 40S (2022), segmentation of streets, 1024x2048.",
    .published_parameters = 13.9e6,
    .published_macs = 62.37e9,
    .build = [](uint64_t seed) { return FFNet(kFfnet40S, seed).build(); },
};

extern const NetworkDef network_ffnet_78s_lowres = {
    .name = "ffnet_78s_lowres",
    .summary = "FFNet 78S for small images (2022), segmentation of streets, 512x1024.",
    .published_parameters = 26.8e6,
    .published_macs = 79.59e9,
    .build = [](uint64_t seed) { return FFNet(kFfnet78SLowres, seed).build(); },
};

}  // namespace hone
