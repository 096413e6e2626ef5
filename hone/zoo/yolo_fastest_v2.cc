// Yolo-FastestV2 (dog-qiuqiu/Yolo-FastestV2) and its follower FastestDet (dog-qiuqiu/FastestDet): a
// narrow ShuffleNet v2 and heads of 5x5 depthwise convolutions. Boxes are not decoded.

#include "hone/zoo/shufflenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr ShuffleNetV2Options kFastestBackbone = {.channels = {48, 96, 192},
                                                  .parts_by_parity = true};
constexpr int64_t kFastestClasses = 80;

class FastestLayers {
 public:
  explicit FastestLayers(NetworkBuilder& b) : b_(b) {}

  Value* mix(Value* x, int64_t channels, const std::string& name) {
    return b_.conv_bn(x, {.channels = channels}, Nonlinearity::Relu, name);
  }
  Value* linear(Value* x, int64_t channels, const std::string& name) {
    return b_.conv_bn(x, {.channels = channels}, Nonlinearity::None, name);
  }
  Value* depthwise(Value* x, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    return b_.conv_bn(x, {.channels = n, .kernel = 5, .groups = n}, Nonlinearity::Relu, name);
  }

 private:
  NetworkBuilder& b_;
};

class YoloFastestV2 {
 public:
  explicit YoloFastestV2(uint64_t seed) : b_("yolo_fastest_v2", seed), layers_(b_) {}

  Graph build(const Shape& image) {
    const std::vector<Value*> maps =
        shufflenet_v2_stages(b_, b_.input("input", image), kFastestBackbone);
    Value* up = b_.upsample(maps[2], "upsample");
    Value* fine = head(b_.concat({up, maps[1]}, 1, "merge"), "fine");
    return b_.finish({{fine, "boxes_fine"}, {head(maps[2], "coarse"), "boxes_coarse"}});
  }

 private:
  Value* tower(Value* x, const std::string& name) {
    for (const int i : {0, 1}) {
      x = layers_.depthwise(x, str(name, ".", i, ".depthwise"));
      x = layers_.linear(x, NetworkBuilder::channels(x), str(name, ".", i, ".pointwise"));
    }
    return x;
  }

  // [n, h, w, 3 boxes, 3 object scores, classes]
  Value* head(Value* x, const std::string& name) {
    x = layers_.mix(x, 72, name + ".mix");
    Value* for_classes = tower(x, name + ".classes");
    Value* for_boxes = tower(x, name + ".boxes");
    const auto field = [&](Value* from, int64_t channels, const std::string& part) {
      return b_.conv(from, {.channels = channels, .bias = true}, str(name, ".", part));
    };
    Value* boxes = b_.apply("sigmoid", {field(for_boxes, 12, "box")}, name + ".box.sigmoid");
    Value* objects =
        b_.apply("sigmoid", {field(for_classes, 3, "object")}, name + ".object.sigmoid");
    Value* classes = b_.transpose(field(for_classes, kFastestClasses, "class"), {0, 2, 3, 1},
                                  name + ".class.transpose");
    classes = b_.transpose(b_.softmax(classes, name + ".class.softmax"), {0, 3, 1, 2},
                           name + ".class.back");
    x = b_.concat({boxes, objects, classes}, 1, name + ".concat");
    return b_.transpose(x, {0, 2, 3, 1}, name + ".transpose");
  }

  NetworkBuilder b_;
  FastestLayers layers_;
};

class FastestDet {
 public:
  explicit FastestDet(uint64_t seed) : b_("fastest_det", seed), layers_(b_) {}

  Graph build(const Shape& image) {
    const std::vector<Value*> maps =
        shufflenet_v2_stages(b_, b_.input("input", image), kFastestBackbone);
    Value* fine = b_.mean_pool(maps[0], 3, 2, "avgpool");
    Value* x = b_.concat({fine, maps[1], b_.upsample(maps[2], "upsample")}, 1, "merge");
    x = layers_.mix(pyramid(layers_.mix(x, kWidth, "mix")), kWidth, "head.mix");
    Value* object = b_.apply("sigmoid", {field(x, 1, "object")}, "object.sigmoid");
    Value* box = field(x, 4, "box");
    Value* classes = b_.apply("softmax", {field(x, kFastestClasses, "class")}, "class.softmax",
                              {{"axis", int64_t{1}}});
    return b_.finish(b_.concat({object, box, classes}, 1, "concat"), "output");
  }

 private:
  static constexpr int64_t kWidth = 96;

  // One, two and three 5x5 filters behind each other.
  Value* pyramid(Value* x) {
    std::vector<Value*> parts;
    for (const int depth : {1, 2, 3}) {
      Value* y = x;
      for (int i = 0; i < depth; ++i) y = layers_.depthwise(y, str("pyramid.", depth, ".", i));
      parts.push_back(y);
    }
    Value* y = layers_.linear(b_.concat(parts, 1, "pyramid.concat"), kWidth, "pyramid.project");
    return b_.activation(b_.apply("add", {x, y}, "pyramid.add"), Nonlinearity::Relu,
                         "pyramid.relu");
  }

  Value* field(Value* x, int64_t channels, const std::string& name) {
    return layers_.linear(layers_.depthwise(x, name + ".depthwise"), channels, name);
  }

  NetworkBuilder b_;
  FastestLayers layers_;
};

}  // namespace

// MACs: half of the 0.212 BFLOPs at 352 of the repository's table. Parameters: counted from
// yolo-fastestv2.param of ncnn's benchmark, with two to a channel whose batch norm it has folded.
extern const NetworkDef network_yolo_fastest_v2 = {
    .name = "yolo_fastest_v2",
    .summary = "Yolo-FastestV2 (2021), COCO, 352x352, boxes not decoded.",
    .published_parameters = 250030,
    .published_macs = 0.212e9 / 2,
    .sized = {.extent = 352,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return YoloFastestV2(seed).build(image); }},
};

// Counted from FastestDet.param of ncnn's benchmark likewise; the repository states 0.25 M.
extern const NetworkDef network_fastest_det = {
    .name = "fastest_det",
    .summary = "FastestDet (2022), COCO, 352x352, boxes not decoded.",
    .published_parameters = 244490,
    .published_macs = 121491744,
    .sized = {.extent = 352,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return FastestDet(seed).build(image); }},
};

}  // namespace hone
