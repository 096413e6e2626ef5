// "Fully Convolutional Networks for Semantic Segmentation" (2014) on a ResNet-50 whose last two
// stages are dilated, with torchvision's names and without the head that only helps training.

#include "hone/zoo/resnet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kFcnClasses = 21;

Graph build_fcn_resnet50(uint64_t seed) {
  NetworkBuilder b("fcn_resnet50", seed);
  Value* image = b.input("input", {1, 3, 520, 520});
  Value* x = resnet_stages(b, image, {.blocks = {3, 4, 6, 3}, .dilated = true}).back();
  x = b.conv_bn(x, {.channels = 512, .kernel = 3}, Nonlinearity::Relu, "classifier");
  x = b.conv(x, {.channels = kFcnClasses, .bias = true}, "classifier.4");
  return b.finish(b.resize_like(x, image, Resizing::Bilinear, "interpolate"), "out");
}

}  // namespace

// torchvision's model page (FCN_ResNet50_Weights): _ops 152.717 at 520x520 and num_params 35322218,
// both with the second head, 1024 channels to 256 (3x3) to 21 (1x1) on 65x65.
extern const NetworkDef network_fcn_resnet50 = {
    .name = "fcn_resnet50",
    .summary = "FCN on ResNet-50 (2014), segmentation of 21 classes, 520x520.",
    .published_parameters = 35322218 - 2365205,
    .published_macs = 152.717e9 - 65.0 * 65 * (9 * 1024 * 256 + 256 * 21),
    .build = build_fcn_resnet50,
};

}  // namespace hone
