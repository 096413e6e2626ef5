// SSD on ResNet-34 for 1200x1200 as in MLPerf Inference (mlcommons/inference, ssd_r34.py): the
// backbone ends at 1/8 of the resolution, five more scales follow, and the heads look at every third
// cell. Encoded boxes and class scores are the outputs; choosing among them is left to the host.

#include <array>

#include "hone/zoo/resnet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kSsdResnetClasses = 81;

struct SsdResnetScale {
  int64_t hidden;
  int64_t channels;
  int64_t stride;
  Padding padding;
};
constexpr SsdResnetScale kSsdResnetScales[] = {{256, 512, 2, Padding::Half},
                                               {256, 512, 2, Padding::Half},
                                               {128, 256, 2, Padding::Half},
                                               {128, 256, 2, Padding::Valid},
                                               {128, 256, 1, Padding::Valid}};
constexpr std::array<int64_t, 6> kSsdResnetBoxes = {4, 6, 6, 6, 4, 4};

Value* ssd_resnet_scale(NetworkBuilder& b, Value* x, const SsdResnetScale& scale,
                        const std::string& name) {
  x = b.conv(x, {.channels = scale.hidden, .bias = true}, name + ".0");
  x = b.activation(x, Nonlinearity::Relu, name + ".1");
  const Conv conv = {.channels = scale.channels,
                     .kernel = 3,
                     .stride = scale.stride,
                     .padding = scale.padding,
                     .bias = true};
  return b.activation(b.conv(x, conv, name + ".2"), Nonlinearity::Relu, name + ".3");
}

// [batch, values, boxes] of all scales.
Value* ssd_resnet_head(NetworkBuilder& b, const std::vector<Value*>& features, int64_t values,
                       const std::string& name) {
  std::vector<Value*> parts;
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string part = str(name, ".", i);
    const Conv conv = {
        .channels = kSsdResnetBoxes[i] * values, .kernel = 3, .stride = 3, .bias = true};
    parts.push_back(b.reshape(b.conv(features[i], conv, part), {0, values, -1}, part + ".reshape"));
  }
  return b.concat(parts, 2, name + ".concat");
}

Graph build_ssd_resnet34(uint64_t seed) {
  NetworkBuilder b("ssd_resnet34", seed);
  Value* image = b.input("input", {1, 3, 1200, 1200});
  const ResnetOptions backbone = {
      .blocks = {3, 4, 6, 0}, .strides = {1, 2, 1, 1}, .bottleneck = false};
  std::vector<Value*> features = {resnet_stages(b, image, backbone).back()};
  for (size_t i = 0; i < std::size(kSsdResnetScales); ++i) {
    const std::string name = str("additional_blocks.", i);
    features.push_back(ssd_resnet_scale(b, features.back(), kSsdResnetScales[i], name));
  }
  Value* boxes = ssd_resnet_head(b, features, 4, "loc");
  Value* scores = ssd_resnet_head(b, features, kSsdResnetClasses, "conf");
  scores = b.apply("softmax", {scores}, "softmax", {{"axis", int64_t{1}}});
  return b.finish({{boxes, "box_encodings"}, {scores, "class_scores"}});
}

}  // namespace

// openvinotoolkit/open_model_zoo (ssd-resnet34-1200-onnx): 20.058 M parameters, 433.411 GFLOPs, two
// per MAC.
extern const NetworkDef network_ssd_resnet34 = {
    .name = "ssd_resnet34",
    .summary = "SSD on ResNet-34 of MLPerf Inference, COCO, 1200x1200, boxes not decoded.",
    .published_parameters = 20.058e6,
    .published_macs = 433.411e9 / 2,
    .build = build_ssd_resnet34,
};

}  // namespace hone
