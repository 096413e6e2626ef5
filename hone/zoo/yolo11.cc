// YOLO11 (ultralytics, cfg/models/11/yolo11.yaml), nano: the layout of YOLOv8 with narrower blocks,
// attention on the smallest features, and a light head. Boxes come decoded, as in an export.

#include <cmath>

#include "hone/zoo/yolo_dfl_head.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kYolo11HeadWidth = 64;
constexpr int64_t kYolo11KeyWidth = 32;

class Yolo11 {
 public:
  Yolo11(std::string_view name, uint64_t seed) : b_(name, seed) {}

  Graph build(bool masks) {
    const std::vector<Value*> features = neck(backbone());
    return masks ? head_.finish_with_masks(features, "model.23")
                 : b_.finish(head_.detect(features, {8, 16, 32}, "model.23"), "output");
  }

 private:
  // Two branches, one of them through two bottlenecks.
  Value* c3k(Value* x, const std::string& name) {
    const int64_t channels = NetworkBuilder::channels(x);
    Value* y = blocks_.conv(x, channels / 2, 1, 1, name + ".cv1");
    for (int i = 0; i < 2; ++i) {
      y = blocks_.bottleneck(y, channels / 2, 3, true, str(name, ".m.", i));
    }
    Value* bypass = blocks_.conv(x, channels / 2, 1, 1, name + ".cv2");
    return blocks_.conv(b_.concat({y, bypass}, 1, name + ".concat"), channels, 1, 1, name + ".cv3");
  }

  // `hidden` channels pass by, as many go through a block; all are kept.
  Value* c3k2(Value* x, int64_t channels, int64_t hidden, bool deep, const std::string& name) {
    x = blocks_.conv(x, 2 * hidden, 1, 1, name + ".cv1");
    std::vector<Value*> parts = b_.split(x, {hidden, hidden}, 1, name + ".split");
    parts.push_back(deep ? c3k(parts[1], name + ".m.0")
                         : blocks_.bottleneck(parts[1], hidden / 2, 3, true, name + ".m.0"));
    return blocks_.conv(b_.concat(parts, 1, name + ".concat"), channels, 1, 1, name + ".cv2");
  }

  // Over all cells, with positions from a depthwise convolution of the values.
  Value* attention(Value* x, const std::string& name) {
    const int64_t width = NetworkBuilder::channels(x);
    const int64_t heads = width / kYolo11HeadWidth;
    const int64_t per_head = 2 * kYolo11KeyWidth + kYolo11HeadWidth;
    Value* all = blocks_.linear(x, {.channels = heads * per_head}, name + ".qkv");
    all = b_.reshape(all, {0, heads, per_head, -1}, name + ".heads");
    const auto parts =
        b_.split(all, {kYolo11KeyWidth, kYolo11KeyWidth, kYolo11HeadWidth}, 2, name + ".split");
    Value* q = b_.transpose(parts[0], {0, 1, 3, 2}, name + ".q");
    Value* scores = b_.apply("matmul", {q, parts[1]}, name + ".scores");
    const float scale = 1 / std::sqrt(static_cast<float>(kYolo11KeyWidth));
    scores = b_.apply("mul", {scores, b_.scalar(scale)}, name + ".scale");
    scores = b_.transpose(b_.softmax(scores, name + ".softmax"), {0, 1, 3, 2}, name + ".turn");
    Value* y = b_.apply("matmul", {parts[2], scores}, name + ".context");
    y = b_.reshape_like(y, x, name + ".image");
    Value* v = b_.reshape_like(parts[2], x, name + ".v");
    v = blocks_.linear(v, {.channels = width, .kernel = 3, .groups = width}, name + ".pe");
    return blocks_.linear(b_.apply("add", {y, v}, name + ".add"), {.channels = width},
                          name + ".proj");
  }

  Value* c2psa(Value* x, const std::string& name) {
    const int64_t channels = NetworkBuilder::channels(x);
    const int64_t hidden = channels / 2;
    x = blocks_.conv(x, channels, 1, 1, name + ".cv1");
    const auto parts = b_.split(x, {hidden, hidden}, 1, name + ".split");
    Value* y =
        b_.apply("add", {parts[1], attention(parts[1], name + ".m.0.attn")}, name + ".m.0.add1");
    Value* z = blocks_.conv(y, 2 * hidden, 1, 1, name + ".m.0.ffn.0");
    z = blocks_.linear(z, {.channels = hidden}, name + ".m.0.ffn.1");
    y = b_.apply("add", {y, z}, name + ".m.0.add2");
    return blocks_.conv(b_.concat({parts[0], y}, 1, name + ".concat"), channels, 1, 1,
                        name + ".cv2");
  }

  std::vector<Value*> backbone() {
    Value* x = b_.input("input", {1, 3, 640, 640});
    x = blocks_.conv(blocks_.conv(x, 16, 3, 2, "model.0"), 32, 3, 2, "model.1");
    x = c3k2(x, 64, 16, false, "model.2");
    Value* p3 = c3k2(blocks_.conv(x, 64, 3, 2, "model.3"), 128, 32, false, "model.4");
    Value* p4 = c3k2(blocks_.conv(p3, 128, 3, 2, "model.5"), 128, 64, true, "model.6");
    x = c3k2(blocks_.conv(p4, 256, 3, 2, "model.7"), 256, 128, true, "model.8");
    return {p3, p4, c2psa(blocks_.sppf(x, 256, "model.9"), "model.10")};
  }

  std::vector<Value*> neck(const std::vector<Value*>& from) {
    Value* x = b_.concat({b_.upsample(from[2], "model.11"), from[1]}, 1, "model.12");
    Value* p4 = c3k2(x, 128, 64, false, "model.13");
    x = b_.concat({b_.upsample(p4, "model.14"), from[0]}, 1, "model.15");
    Value* small = c3k2(x, 64, 32, false, "model.16");
    x = b_.concat({blocks_.conv(small, 64, 3, 2, "model.17"), p4}, 1, "model.18");
    Value* medium = c3k2(x, 128, 64, false, "model.19");
    x = b_.concat({blocks_.conv(medium, 128, 3, 2, "model.20"), from[2]}, 1, "model.21");
    return {small, medium, c3k2(x, 256, 128, true, "model.22")};
  }

  NetworkBuilder b_;
  YoloBlocks blocks_{b_, YoloBlocks::Act::Silu, 1e-3};
  YoloDflHead head_{b_, blocks_, true};
};

}  // namespace

// ultralytics: yolo11.yaml has 2624080 parameters; the tables 6.5 GFLOPs at 640, and 2.9 M and
// 10.4 GFLOPs with masks, where every tap of the transposed convolution counts for every result.
extern const NetworkDef network_yolo11n = {
    .name = "yolo11n",
    .summary = "YOLO11 nano (2024), COCO, 640x640, boxes decoded.",
    .published_parameters = 2624080,
    .published_macs = 6.5e9 / 2,
    .build = [](uint64_t seed) { return Yolo11("yolo11n", seed).build(false); },
};

extern const NetworkDef network_yolo11n_seg = {
    .name = "yolo11n_seg",
    .summary = "YOLO11 nano with masks (2024), COCO, 640x640, boxes decoded.",
    .published_parameters = 2.89e6,
    .published_macs = 10.4e9 / 2 - 3 * (80.0 * 80 * 64 * 64 * 4),
    .build = [](uint64_t seed) { return Yolo11("yolo11n_seg", seed).build(true); },
};

}  // namespace hone
