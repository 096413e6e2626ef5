// "SSD: Single Shot MultiBox Detector" (2016) on MobileNets, as TensorFlow's detection API builds
// it (tensorflow/models, research/object_detection: samples/configs/ssd*_mobilenet_v*_coco.config,
// 300x300, 90 classes and background). Results are box encodings and class scores of 1917 anchors;
// decoding them and suppressing what overlaps is left to the caller, as those models' .tflite files
// leave it to a custom operator.

#include "hone/zoo/mobilenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kMobilenetSsdClasses = 91;
// Features below the backbone's two, each at half of the resolution of the one before.
constexpr int64_t kExtraChannels[] = {512, 256, 256, 128};

// SSDLite has depthwise and pointwise convolutions where SSD has full ones.
class Ssd {
 public:
  Ssd(NetworkBuilder b, bool lite) : b_(std::move(b)), lite_(lite) {}

  NetworkBuilder& builder() { return b_; }

  // From the backbone's features at 1/16 and 1/32.
  Graph build(Value* fine, Value* coarse) {
    std::vector<Value*> maps = {fine, coarse};
    for (const int64_t channels : kExtraChannels) maps.push_back(extra(maps.back(), channels));
    std::vector<Value*> boxes, scores;
    for (size_t i = 0; i < maps.size(); ++i) {
      const int64_t anchors = i == 0 ? 3 : 6;
      boxes.push_back(predict(maps[i], anchors, 4, str("predictor.", i, ".boxes")));
      scores.push_back(
          predict(maps[i], anchors, kMobilenetSsdClasses, str("predictor.", i, ".classes")));
    }
    Value* all_boxes = b_.concat(boxes, 1, "boxes.concat");
    Value* all_scores = b_.concat(scores, 1, "classes.concat");
    all_scores = b_.apply("sigmoid", {all_scores}, "classes.sigmoid");
    return b_.finish({{all_boxes, "box_encodings"}, {all_scores, "class_scores"}});
  }

 private:
  Value* layer(Value* x, Conv conv, const std::string& name) {
    conv.padding = Padding::Same;
    return b_.conv_bn(x, conv, Nonlinearity::Relu6, name, 1e-3);
  }

  Value* depthwise(Value* x, int64_t stride, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    return layer(x, {.channels = n, .kernel = 3, .stride = stride, .groups = n}, name);
  }

  Value* extra(Value* x, int64_t channels) {
    const std::string name = str("extra.", extras_++);
    x = layer(x, {.channels = channels / 2}, name + ".0");
    if (!lite_) return layer(x, {.channels = channels, .kernel = 3, .stride = 2}, name + ".1");
    return layer(depthwise(x, 2, name + ".1"), {.channels = channels}, name + ".2");
  }

  // [1, cells * anchors, fields] of one map.
  Value* predict(Value* x, int64_t anchors, int64_t fields, const std::string& name) {
    const int64_t cells = NetworkBuilder::shape(x)[2] * NetworkBuilder::shape(x)[3];
    if (lite_) x = depthwise(x, 1, name + ".depthwise");
    x = b_.conv(x, {.channels = anchors * fields, .bias = true}, name);
    x = b_.transpose(x, {0, 2, 3, 1}, name + ".transpose");
    return b_.reshape(x, {1, cells * anchors, fields}, name + ".reshape");
  }

  NetworkBuilder b_;
  bool lite_;
  int extras_ = 0;
};

Graph build_v1(uint64_t seed) {
  Ssd ssd(NetworkBuilder("mobilenet_v1_ssd", seed), false);
  Value* image = ssd.builder().input("input", {1, 3, 300, 300});
  const std::vector<Value*> blocks = mobilenet_v1_blocks(ssd.builder(), image, {});
  return ssd.build(blocks[10], blocks[12]);
}

Graph build_v2(std::string_view name, bool lite, uint64_t seed) {
  Ssd ssd(NetworkBuilder(name, seed), lite);
  Value* image = ssd.builder().input("input", {1, 3, 300, 300});
  const MobileNetV2Features features = mobilenet_v2_features(ssd.builder(), image);
  return ssd.build(features.expanded, features.last);
}

}  // namespace

// Open Model Zoo's page of ssd_mobilenet_v1_coco; two of its FLOPs to a MAC.
extern const NetworkDef network_mobilenet_v1_ssd = {
    .name = "mobilenet_v1_ssd",
    .summary = "SSD (2016) on MobileNet v1, COCO, 300x300, boxes not decoded.",
    .published_parameters = 6.807e6,
    .published_macs = 2.494e9 / 2,
    .build = build_v1,
};

// Counted by hand from ssd_mobilenet_v2_quantized_300x300_coco.config, which is what integer
// accelerators run: predictors are 1x1. Its .tflite file has about as many bytes.
extern const NetworkDef network_mobilenet_v2_ssd = {
    .name = "mobilenet_v2_ssd",
    .summary = "SSD (2016) on MobileNet v2, COCO, 300x300, boxes not decoded.",
    .published_parameters = 6066431,
    .published_macs = 772779056,
    .build = [](uint64_t seed) { return build_v2("mobilenet_v2_ssd", false, seed); },
};

// Parameters: Open Model Zoo's page of ssdlite_mobilenet_v2. MACs: half of the 1.5 GFLOPs that
// NXP's eIQ model zoo states; Open Model Zoo's 1.525 count more than convolutions.
extern const NetworkDef network_mobilenet_v2_ssdlite = {
    .name = "mobilenet_v2_ssdlite",
    .summary = "SSDLite on MobileNet v2 (2018), COCO, 300x300, boxes not decoded.",
    .published_parameters = 4.475e6,
    .published_macs = 1.5e9 / 2,
    .build = [](uint64_t seed) { return build_v2("mobilenet_v2_ssdlite", true, seed); },
};

}  // namespace hone
