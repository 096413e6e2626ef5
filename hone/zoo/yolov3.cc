// "YOLOv3: An Incremental Improvement" (2018; pjreddie/darknet, cfg/yolov3.cfg and
// yolov3-tiny.cfg). The outputs are those of the last convolutions, largest cells first: 3 boxes per
// cell of centre, size, an object score and 80 class scores.

#include <array>

#include "hone/zoo/yolo_blocks.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kYolov3Fields = 3 * (5 + 80);
constexpr std::array<int, 5> kDarknet53Blocks = {1, 2, 8, 8, 4};

class YoloV3 {
 public:
  YoloV3(std::string_view name, uint64_t seed) : b_(name, seed) {}

  Graph build() {
    const std::vector<Value*> stages = darknet53(b_.input("input", {1, 3, 416, 416}));
    Value* x = narrow(stages[4], 512);
    Value* large = output(x, 512);
    x = narrow(b_.concat({widen(x, 256), stages[3]}, 1, "route.0"), 256);
    Value* medium = output(x, 256);
    x = narrow(b_.concat({widen(x, 128), stages[2]}, 1, "route.1"), 128);
    return b_.finish({{large, "large"}, {medium, "medium"}, {output(x, 128), "small"}});
  }

  Graph build_tiny() {
    Value* x = b_.input("input", {1, 3, 416, 416});
    Value* kept = nullptr;
    int64_t channels = 16;
    for (int i = 0; i < 5; ++i, channels *= 2) {
      kept = conv(x, channels, 3);
      x = b_.max_pool(kept, 2, 2, str("pool.", i), Padding::Valid);
    }
    x = b_.max_pool(conv(x, 512, 3), 2, 1, "pool.5", Padding::Same);
    x = conv(conv(x, 1024, 3), 256, 1);
    Value* large = output(x, 256);
    x = b_.concat({widen(x, 128), kept}, 1, "route");
    return b_.finish({{large, "large"}, {output(x, 128), "medium"}});
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride = 1) {
    return blocks_.conv(x, channels, kernel, stride, str("layer.", layer_++));
  }

  std::vector<Value*> darknet53(Value* x) {
    x = conv(x, 32, 3);
    std::vector<Value*> stages;
    int64_t channels = 64;
    for (const int repeats : kDarknet53Blocks) {
      x = conv(x, channels, 3, 2);
      for (int i = 0; i < repeats; ++i) {
        Value* y = conv(conv(x, channels / 2, 1), channels, 3);
        x = b_.apply("add", {x, y}, str("add.", layer_));
      }
      stages.push_back(x);
      channels *= 2;
    }
    return stages;
  }

  // Five layers, of which the last is what the next scale and the output see.
  Value* narrow(Value* x, int64_t channels) {
    for (int i = 0; i < 2; ++i) x = conv(conv(x, channels, 1), 2 * channels, 3);
    return conv(x, channels, 1);
  }

  Value* widen(Value* x, int64_t channels) {
    return b_.upsample(conv(x, channels, 1), str("upsample.", layer_));
  }

  Value* output(Value* x, int64_t channels) {
    x = conv(x, 2 * channels, 3);
    return b_.conv(x, {.channels = kYolov3Fields, .bias = true}, str("output.", layer_));
  }

  NetworkBuilder b_;
  YoloBlocks blocks_{b_, YoloBlocks::Act::Leaky, 1e-5};
  int layer_ = 0;
};

}  // namespace

// openvinotoolkit/open_model_zoo (yolo-v3-tf, yolo-v3-tiny-tf): MParams, and GFLOPs, two per MAC.
extern const NetworkDef network_yolov3 = {
    .name = "yolov3",
    .summary = "YOLOv3 (2018), COCO, 416x416, boxes not decoded.",
    .published_parameters = 61.922e6,
    .published_macs = 65.984e9 / 2,
    .build = [](uint64_t seed) { return YoloV3("yolov3", seed).build(); },
};

extern const NetworkDef network_yolov3_tiny = {
    .name = "yolov3_tiny",
    .summary = "YOLOv3 tiny (2018), COCO, 416x416, boxes not decoded.",
    .published_parameters = 8.848e6,
    .published_macs = 5.582e9 / 2,
    .build = [](uint64_t seed) { return YoloV3("yolov3_tiny", seed).build_tiny(); },
};

}  // namespace hone
