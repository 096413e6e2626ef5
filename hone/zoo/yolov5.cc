// YOLOv5 as of version 6.0 (ultralytics/yolov5, models/yolov5s.yaml): a stem of 6x6, C3 blocks and
// SPPF in the backbone, a PANet neck, and the detection head with its decoding: every cell and
// anchor gives centre and size in pixels, an object score and 80 class scores.

#include <array>
#include <cmath>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kYolov5Classes = 80;
constexpr int64_t kAnchors = 3;
constexpr double kDepth = 0.33;
constexpr double kYolov5Epsilon = 1e-3;

// Width and height in pixels, three per scale.
constexpr std::array<std::array<float, 2 * kAnchors>, 3> kAnchorSizes = {
    {{10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}}};

constexpr float kStrides[] = {8, 16, 32};

class YoloV5 {
 public:
  YoloV5(std::string_view name, double width, uint64_t seed) : width_(width), b_(name, seed) {}

  Graph build(const Shape& image) {
    const std::vector<Value*> features = neck(backbone(b_.input("images", image)));
    std::vector<Value*> boxes;
    for (size_t scale = 0; scale < features.size(); ++scale) {
      boxes.push_back(detect(features[scale], scale));
    }
    return b_.finish(b_.concat(boxes, 1, "model.24.concat"), "output");
  }

 private:
  int64_t scaled(int64_t channels) const {
    return static_cast<int64_t>(std::ceil(static_cast<double>(channels) * width_ / 8)) * 8;
  }

  // Widths below `c3` are those of the graph, not of the table.
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name) {
    x = b_.conv(x, {.channels = channels, .kernel = kernel, .stride = stride}, name + ".conv");
    x = b_.batch_norm(x, name + ".bn", kYolov5Epsilon);
    return b_.activation(x, Nonlinearity::Swish, name + ".act");
  }

  Value* c3(Value* x, int64_t channels, int repeats, bool shortcut, const std::string& name) {
    const int64_t hidden = channels / 2;
    Value* y = conv(x, hidden, 1, 1, name + ".cv1");
    const auto depth = std::max(1, static_cast<int>(std::lround(repeats * kDepth)));
    for (int i = 0; i < depth; ++i) {
      const std::string part = str(name, ".m.", i);
      Value* inner = conv(conv(y, hidden, 1, 1, part + ".cv1"), hidden, 3, 1, part + ".cv2");
      y = shortcut ? b_.apply("add", {y, inner}, part + ".add") : inner;
    }
    Value* bypass = conv(x, hidden, 1, 1, name + ".cv2");
    return conv(b_.concat({y, bypass}, 1, name + ".concat"), channels, 1, 1, name + ".cv3");
  }

  Value* sppf(Value* x, int64_t channels, const std::string& name) {
    Value* y = conv(x, NetworkBuilder::channels(x) / 2, 1, 1, name + ".cv1");
    std::vector<Value*> parts = {y};
    for (int i = 0; i < 3; ++i) {
      y = b_.max_pool(y, 5, 1, str(name, ".m.", i));
      parts.push_back(y);
    }
    return conv(b_.concat(parts, 1, name + ".concat"), channels, 1, 1, name + ".cv2");
  }

  // The features at 1/8, 1/16 and 1/32 of the resolution.
  std::vector<Value*> backbone(Value* x) {
    x = conv(x, scaled(64), 6, 2, "model.0");
    x = conv(x, scaled(128), 3, 2, "model.1");
    x = c3(x, scaled(128), 3, true, "model.2");
    x = conv(x, scaled(256), 3, 2, "model.3");
    Value* p3 = c3(x, scaled(256), 6, true, "model.4");
    x = conv(p3, scaled(512), 3, 2, "model.5");
    Value* p4 = c3(x, scaled(512), 9, true, "model.6");
    x = conv(p4, scaled(1024), 3, 2, "model.7");
    x = c3(x, scaled(1024), 3, true, "model.8");
    return {p3, p4, sppf(x, scaled(1024), "model.9")};
  }

  std::vector<Value*> neck(const std::vector<Value*>& from) {
    Value* p5 = conv(from[2], scaled(512), 1, 1, "model.10");
    Value* x = b_.concat({b_.upsample(p5, "model.11"), from[1]}, 1, "model.12");
    x = c3(x, scaled(512), 3, false, "model.13");
    Value* p4 = conv(x, scaled(256), 1, 1, "model.14");
    x = b_.concat({b_.upsample(p4, "model.15"), from[0]}, 1, "model.16");
    Value* small = c3(x, scaled(256), 3, false, "model.17");
    x = conv(small, scaled(256), 3, 2, "model.18");
    x = b_.concat({x, p4}, 1, "model.19");
    Value* medium = c3(x, scaled(512), 3, false, "model.20");
    x = conv(medium, scaled(512), 3, 2, "model.21");
    x = b_.concat({x, p5}, 1, "model.22");
    return {small, medium, c3(x, scaled(1024), 3, false, "model.23")};
  }

  // [n, cells * anchors, 5 + classes] of one scale.
  Value* detect(Value* x, size_t scale) {
    const int64_t fields = 5 + kYolov5Classes;
    const std::string name = str("model.24.m.", scale);
    const int64_t n = NetworkBuilder::shape(x)[0];
    const int64_t rows = NetworkBuilder::shape(x)[2];
    const int64_t columns = NetworkBuilder::shape(x)[3];
    x = b_.conv(x, {.channels = kAnchors * fields, .bias = true}, name);
    x = b_.reshape(x, {n, kAnchors, fields, rows, columns}, name + ".reshape");
    x = b_.transpose(x, {0, 1, 3, 4, 2}, name + ".transpose");
    x = b_.apply("sigmoid", {x}, name + ".sigmoid");
    const std::vector<Value*> parts = b_.split(x, {2, 2, kYolov5Classes + 1}, 4, name + ".split");
    x = b_.concat({centres(parts[0], scale, name), sizes(parts[1], scale, name), parts[2]}, 4,
                  name + ".concat");
    return b_.reshape(x, {n, kAnchors * rows * columns, fields}, name + ".boxes");
  }

  // (2 s - 0.5 + cell) * stride. The grid of cells is added as a row and a column.
  Value* centres(Value* s, size_t scale, const std::string& name) {
    const int64_t rows = NetworkBuilder::shape(s)[2];
    const int64_t columns = NetworkBuilder::shape(s)[3];
    std::vector<float> row, column;
    for (int64_t i = 0; i < columns; ++i) {
      row.insert(row.end(), {static_cast<float>(i) - 0.5f, 0});
    }
    for (int64_t i = 0; i < rows; ++i) {
      column.insert(column.end(), {0, static_cast<float>(i) - 0.5f});
    }
    Value* x = b_.apply("mul", {s, b_.scalar(2)}, name + ".centres.double");
    x = b_.apply("add",
                 {x, b_.constant(name + ".grid_x", Tensor::of<float>({1, 1, 1, columns, 2}, row))},
                 name + ".centres.add_x");
    x = b_.apply("add",
                 {x, b_.constant(name + ".grid_y", Tensor::of<float>({1, 1, rows, 1, 2}, column))},
                 name + ".centres.add_y");
    return b_.apply("mul", {x, b_.scalar(kStrides[scale])}, name + ".centres");
  }

  // (2 s)^2 * anchor.
  Value* sizes(Value* s, size_t scale, const std::string& name) {
    const std::vector<float> anchors(kAnchorSizes[scale].begin(), kAnchorSizes[scale].end());
    Value* x = b_.apply("mul", {s, b_.scalar(2)}, name + ".sizes.double");
    x = b_.apply("pow", {x, b_.scalar(2)}, name + ".sizes.square");
    return b_.apply(
        "mul",
        {x, b_.constant(name + ".anchors", Tensor::of<float>({1, kAnchors, 1, 1, 2}, anchors))},
        name + ".sizes");
  }

  double width_;
  NetworkBuilder b_;
};

}  // namespace

// ultralytics prints the parameters when it builds the network ("YOLOv5s summary: 214 layers,
// 7235389 parameters"; the table in its README rounds them to 1.9 M and 7.2 M). MACs: half of the
// table's FLOPs at 640, 4.5 G and 16.5 G, which have one more per result of a convolution for the
// bias.
extern const NetworkDef network_yolov5n = {
    .name = "yolov5n",
    .summary = "YOLOv5 nano (v6.0), COCO, 640x640, boxes decoded.",
    .published_parameters = 1872157,
    .published_macs = 4.5e9 / 2,
    .sized = {.name = "images",
              .extent = 640,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return YoloV5("yolov5n", 0.25, seed).build(image); }},
};

extern const NetworkDef network_yolov5s = {
    .name = "yolov5s",
    .summary = "YOLOv5 small (v6.0), COCO, 640x640, boxes decoded.",
    .published_parameters = 7235389,
    .published_macs = 16.5e9 / 2,
    .sized = {.name = "images",
              .extent = 640,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return YoloV5("yolov5s", 0.5, seed).build(image); }},
};

}  // namespace hone
