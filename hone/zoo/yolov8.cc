// YOLOv8 (ultralytics, cfg/models/v8/yolov8.yaml) and the tiny YOLOv3 with the same head
// (yolov3-tinyu). Boxes come decoded, as in an export.

#include "hone/zoo/yolo_dfl_head.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

class YoloV8 {
 public:
  YoloV8(std::string_view name, uint64_t seed) : b_(name, seed) {}

  Graph build_n(bool masks) {
    const std::vector<Value*> features = neck(backbone());
    return masks ? head_.finish_with_masks(features, "model.22")
                 : b_.finish(head_.detect(features, {8, 16, 32}, "model.22"), "output");
  }

  Graph build_v3_tiny() {
    Value* x = b_.input("input", {1, 3, 416, 416});
    Value* p4 = nullptr;
    int64_t channels = 16;
    for (int i = 0; i < 5; ++i, channels *= 2) {
      p4 = blocks_.conv(x, channels, 3, 1, str("model.", 2 * i));
      x = b_.max_pool(p4, 2, 2, str("model.", 2 * i + 1), Padding::Valid);
    }
    x = blocks_.conv(x, channels, 3, 1, "model.10");
    x = b_.max_pool(x, 2, 1, "model.12", Padding::Same);
    x = blocks_.conv(blocks_.conv(x, 1024, 3, 1, "model.13"), 256, 1, 1, "model.14");
    Value* large = blocks_.conv(x, 512, 3, 1, "model.15");
    x = b_.upsample(blocks_.conv(x, 128, 1, 1, "model.16"), "model.17");
    Value* medium = blocks_.conv(b_.concat({x, p4}, 1, "model.18"), 256, 3, 1, "model.19");
    return b_.finish(head_.detect({medium, large}, {16, 32}, "model.20"), "output");
  }

 private:
  // Half of the channels go through `repeats` bottlenecks; the results of all are kept.
  Value* c2f(Value* x, int64_t channels, int repeats, bool shortcut, const std::string& name) {
    const int64_t hidden = channels / 2;
    x = blocks_.conv(x, channels, 1, 1, name + ".cv1");
    std::vector<Value*> parts = b_.split(x, {hidden, hidden}, 1, name + ".split");
    for (int i = 0; i < repeats; ++i) {
      parts.push_back(blocks_.bottleneck(parts.back(), hidden, 3, shortcut, str(name, ".m.", i)));
    }
    return blocks_.conv(b_.concat(parts, 1, name + ".concat"), channels, 1, 1, name + ".cv2");
  }

  // The features at 1/8, 1/16 and 1/32 of the resolution, in the widths of "n".
  std::vector<Value*> backbone() {
    Value* x = b_.input("input", {1, 3, 640, 640});
    x = blocks_.conv(x, 16, 3, 2, "model.0");
    x = c2f(blocks_.conv(x, 32, 3, 2, "model.1"), 32, 1, true, "model.2");
    Value* p3 = c2f(blocks_.conv(x, 64, 3, 2, "model.3"), 64, 2, true, "model.4");
    Value* p4 = c2f(blocks_.conv(p3, 128, 3, 2, "model.5"), 128, 2, true, "model.6");
    x = c2f(blocks_.conv(p4, 256, 3, 2, "model.7"), 256, 1, true, "model.8");
    return {p3, p4, blocks_.sppf(x, 256, "model.9")};
  }

  std::vector<Value*> neck(const std::vector<Value*>& from) {
    Value* x = b_.concat({b_.upsample(from[2], "model.10"), from[1]}, 1, "model.11");
    Value* p4 = c2f(x, 128, 1, false, "model.12");
    x = b_.concat({b_.upsample(p4, "model.13"), from[0]}, 1, "model.14");
    Value* small = c2f(x, 64, 1, false, "model.15");
    x = b_.concat({blocks_.conv(small, 64, 3, 2, "model.16"), p4}, 1, "model.17");
    Value* medium = c2f(x, 128, 1, false, "model.18");
    x = b_.concat({blocks_.conv(medium, 128, 3, 2, "model.19"), from[2]}, 1, "model.20");
    return {small, medium, c2f(x, 256, 1, false, "model.21")};
  }

  NetworkBuilder b_;
  YoloBlocks blocks_{b_, YoloBlocks::Act::Silu, 1e-3};
  YoloDflHead head_{b_, blocks_, false};
};

}  // namespace

// ultralytics prints the parameters; MACs are half of its FLOPs at 640 (8.7 G; 12.6 G with masks,
// where every tap of the transposed convolution counts for every result: four times too many).
extern const NetworkDef network_yolov8n = {
    .name = "yolov8n",
    .summary = "YOLOv8 nano (2023), COCO, 640x640, boxes decoded.",
    .published_parameters = 3157200,
    .published_macs = 8.7e9 / 2,
    .build = [](uint64_t seed) { return YoloV8("yolov8n", seed).build_n(false); },
};

extern const NetworkDef network_yolov8n_seg = {
    .name = "yolov8n_seg",
    .summary = "YOLOv8 nano with masks (2023), COCO, 640x640, boxes decoded.",
    .published_parameters = 3409968,
    .published_macs = 12.6e9 / 2 - 3 * (80.0 * 80 * 64 * 64 * 4),
    .build = [](uint64_t seed) { return YoloV8("yolov8n_seg", seed).build_n(true); },
};

// ultralytics' table at 640: 12.2 M, 18.9 GFLOPs; 416 has (416 / 640)^2 of them.
extern const NetworkDef network_yolov3_tinyu = {
    .name = "yolov3_tinyu",
    .summary = "YOLOv3 tiny with the head of YOLOv8 (2023), COCO, 416x416, boxes decoded.",
    .published_parameters = 12.17e6,
    .published_macs = 18.9e9 / 2 * 0.4225,
    .build = [](uint64_t seed) { return YoloV8("yolov3_tinyu", seed).build_v3_tiny(); },
};

}  // namespace hone
