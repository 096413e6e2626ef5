// YOLO's heads on MobileNets, trained on Pascal VOC (eric612/MobileNet-YOLO), as ncnn's benchmark
// runs them (mobilenet_yolo.param, mobilenetv2_yolov3.param). Boxes are not decoded.

#include "hone/zoo/mobilenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kVocFields = 25;  // A box, an object score and 20 classes.

Value* relu_conv(NetworkBuilder& b, Value* x, const Conv& conv, const std::string& name) {
  return b.conv_bn(x, conv, Nonlinearity::Relu, name);
}

Graph build_mobilenet_yolo(const Shape& image, uint64_t seed) {
  NetworkBuilder b("mobilenet_yolo", seed);
  const MobileNetV1Options options = {.activation = Nonlinearity::Relu};
  Value* x = mobilenet_v1_blocks(b, b.input("input", image), options).back();
  x = relu_conv(b, x, {.channels = 256}, "conv16");
  Value* low = relu_conv(b, x, {.channels = 1024, .kernel = 3}, "conv17");
  x = b.conv_transpose(low, {.channels = 256, .kernel = 4, .stride = 2, .groups = 256}, "upsample");
  x = relu_conv(b, x, {.channels = 1024, .kernel = 3}, "conv19");
  x = relu_conv(b, x, {.channels = 256}, "conv20");
  Value* high = relu_conv(b, x, {.channels = 1024, .kernel = 3}, "conv21");
  const Conv boxes = {.channels = 5 * kVocFields, .bias = true};
  low = b.conv(low, boxes, "conv22");
  high = b.conv(high, boxes, "conv23");
  return b.finish({{low, "boxes_low"}, {high, "boxes_high"}});
}

Value* separable(NetworkBuilder& b, Value* x, int64_t channels, const std::string& name) {
  const int64_t n = NetworkBuilder::channels(x);
  x = relu_conv(b, x, {.channels = n, .kernel = 3, .groups = n}, name + ".depthwise");
  return relu_conv(b, x, {.channels = channels}, name + ".pointwise");
}

// Every second row and column is x, the others zeros, which the pool then covers.
Value* unpool(NetworkBuilder& b, Value* x, const std::string& name) {
  const int64_t n = NetworkBuilder::channels(x);
  x = b.conv_transpose(x, {.channels = n, .stride = 2, .groups = n}, name);
  return b.max_pool(x, 2, 1, name + ".pool", Padding::Full);
}

Graph build_mobilenetv2_yolov3(const Shape& image, uint64_t seed) {
  NetworkBuilder b("mobilenetv2_yolov3", seed);
  const MobileNetV2Features features =
      mobilenet_v2_features(b, b.input("input", image), Nonlinearity::Relu);
  Value* low = separable(b, features.last, 576, "yolo.conv1");
  Value* up = unpool(b, low, "upsample");
  Value* high = separable(b, features.expanded, 576, "yolo.conv2");
  high = separable(b, b.apply("add", {up, high}, "yolo.sum"), 576, "yolo.conv3");
  const Conv boxes = {.channels = 3 * kVocFields, .bias = true};
  low = b.conv(low, boxes, "yolo.conv4");
  high = b.conv(high, boxes, "yolo.conv5");
  return b.finish({{low, "boxes_low"}, {high, "boxes_high"}});
}

}  // namespace

// Counted from the .param files, with two parameters to a channel with a batch norm, folded or not.
extern const NetworkDef network_mobilenet_yolo = {
    .name = "mobilenet_yolo",
    .summary =
        "YOLO on MobileNet v1 as in ncnn's benchmark, Pascal VOC, 416x416, boxes not decoded.",
    .published_parameters = 11088954,
    .published_macs = 5878971904,
    .sized = {.extent = 416, .multiple = 32, .build = build_mobilenet_yolo},
};

extern const NetworkDef network_mobilenetv2_yolov3 = {
    .name = "mobilenetv2_yolov3",
    .summary =
        "YOLOv3 on MobileNet v2 as in ncnn's benchmark, Pascal VOC, 352x352, boxes not decoded.",
    .published_parameters = 3742038,
    .published_macs = 1182555264,
    .sized = {.extent = 352, .multiple = 32, .build = build_mobilenetv2_yolov3},
};

}  // namespace hone
