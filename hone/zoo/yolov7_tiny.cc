// YOLOv7-tiny (WongKinYiu/yolov7, cfg/training/yolov7-tiny.yaml), boxes decoded as in an export:
// every cell and anchor gives centre and size in pixels, an object score and 80 class scores.

#include <array>

#include "hone/zoo/yolo_blocks.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kYolov7Fields = 5 + 80;
constexpr int64_t kYolov7Anchors = 3;
constexpr std::array<std::array<float, 2 * kYolov7Anchors>, 3> kYolov7AnchorSizes = {
    {{9, 6, 13, 16, 29, 11}, {29, 28, 66, 26, 51, 62}, {115, 54, 134, 119, 308, 147}}};

class YoloV7Tiny {
 public:
  explicit YoloV7Tiny(uint64_t seed) : b_("yolov7_tiny", seed) {}

  Graph build() {
    const std::vector<Value*> features = neck(backbone());
    std::vector<Value*> boxes;
    for (size_t scale = 0; scale < features.size(); ++scale) {
      boxes.push_back(detect(features[scale], scale));
    }
    return b_.finish(b_.concat(boxes, 1, "model.77.concat"), "output");
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride = 1) {
    return blocks_.conv(x, channels, kernel, stride, str("model.", layer_++));
  }

  // Two pointwise branches, one of them followed by two of 3x3; all four results are kept.
  Value* elan(Value* x, int64_t hidden, int64_t channels) {
    Value* bypass = conv(x, hidden, 1);
    Value* first = conv(x, hidden, 1);
    Value* second = conv(first, hidden, 3);
    Value* third = conv(second, hidden, 3);
    Value* all = b_.concat({third, second, first, bypass}, 1, str("model.", layer_++));
    return conv(all, channels, 1);
  }

  Value* halve(Value* x) { return b_.max_pool(x, 2, 2, str("model.", layer_++), Padding::Valid); }

  std::vector<Value*> backbone() {
    Value* x = conv(conv(b_.input("input", {1, 3, 640, 640}), 32, 3, 2), 64, 3, 2);
    x = elan(x, 32, 64);
    Value* p3 = elan(halve(x), 64, 128);
    Value* p4 = elan(halve(p3), 128, 256);
    return {p3, p4, spp(elan(halve(p4), 256, 512))};
  }

  Value* spp(Value* x) {
    Value* bypass = conv(x, 256, 1);
    Value* y = conv(x, 256, 1);
    std::vector<Value*> parts;
    for (const int64_t kernel : {5, 9, 13}) {
      parts.insert(parts.begin(), b_.max_pool(y, kernel, 1, str("model.", layer_++)));
    }
    parts.push_back(y);
    y = conv(b_.concat(parts, 1, str("model.", layer_++)), 256, 1);
    return conv(b_.concat({y, bypass}, 1, str("model.", layer_++)), 256, 1);
  }

  // `lateral` beside an enlarged x.
  Value* merge_up(Value* x, Value* lateral, int64_t channels) {
    x = b_.upsample(conv(x, channels, 1), str("model.", layer_++));
    return b_.concat({conv(lateral, channels, 1), x}, 1, str("model.", layer_++));
  }

  Value* merge_down(Value* x, Value* lateral) {
    x = conv(x, NetworkBuilder::channels(lateral), 3, 2);
    return b_.concat({x, lateral}, 1, str("model.", layer_++));
  }

  std::vector<Value*> neck(const std::vector<Value*>& from) {
    Value* p4 = elan(merge_up(from[2], from[1], 128), 64, 128);
    Value* small = elan(merge_up(p4, from[0], 64), 32, 64);
    Value* medium = elan(merge_down(small, p4), 64, 128);
    Value* large = elan(merge_down(medium, from[2]), 128, 256);
    return {conv(small, 128, 3), conv(medium, 256, 3), conv(large, 512, 3)};
  }

  Value* detect(Value* x, size_t scale) {
    const std::string name = str("model.77.m.", scale);
    x = b_.conv(x, {.channels = kYolov7Anchors * kYolov7Fields, .bias = true}, name);
    return yolo_anchor_boxes(b_, x, kYolov7AnchorSizes[scale], int64_t{8} << scale, name);
  }

  NetworkBuilder b_;
  YoloBlocks blocks_{b_, YoloBlocks::Act::Leaky, 1e-3};
  int layer_ = 0;
};

}  // namespace

// WongKinYiu/yolov7: 6.2 M parameters, 13.8 GFLOPs at 640 (the paper's table: 6.2 M, 13.8 G), two
// per MAC. AI Hub states 6.24 M.
extern const NetworkDef network_yolov7_tiny = {
    .name = "yolov7_tiny",
    .summary = "YOLOv7 tiny (2022), COCO, 640x640, boxes decoded.",
    .published_parameters = 6.24e6,
    .published_macs = 13.8e9 / 2,
    .build = [](uint64_t seed) { return YoloV7Tiny(seed).build(); },
};

}  // namespace hone
