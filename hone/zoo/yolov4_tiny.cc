// YOLOv4-tiny (AlexeyAB/darknet, cfg/yolov4-tiny.cfg): cross-stage partial blocks that convolve half
// of the channels, and two heads. Boxes are not decoded.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kYolov4Fields = 3 * 85;  // Three anchors of a box, a score and 80 classes.

class YoloV4Tiny {
 public:
  explicit YoloV4Tiny(uint64_t seed) : b_("yolov4_tiny", seed) {}

  Graph build(const Shape& image) {
    Value* x = b_.input("input", image);
    x = conv(x, {.channels = 32, .kernel = 3, .stride = 2});
    x = conv(x, {.channels = 64, .kernel = 3, .stride = 2});
    for (const int64_t channels : {64, 128, 256}) x = partial(x, channels);
    Value* high = merged_;
    x = conv(conv(x, {.channels = 512, .kernel = 3}), {.channels = 256});
    Value* low = head(conv(x, {.channels = 512, .kernel = 3}), "low");
    x = b_.upsample(conv(x, {.channels = 128}), "upsample");
    x = conv(b_.concat({x, high}, 1, "merge"), {.channels = 256, .kernel = 3});
    return b_.finish({{low, "boxes_low"}, {head(x, "high"), "boxes_high"}});
  }

 private:
  Value* conv(Value* x, const Conv& options) {
    const std::string name = str("conv.", convs_++);
    x = b_.batch_norm(b_.conv(x, options, name), name + ".bn");
    return b_.leaky_relu(x, 0.1, name + ".leaky");
  }

  // The second half of the channels is convolved, merged, and put behind all of them.
  Value* partial(Value* x, int64_t channels) {
    const std::string name = str("partial.", channels);
    Value* all = conv(x, {.channels = channels, .kernel = 3});
    Value* half = b_.slice(all, channels / 2, channels, 1, name + ".half");
    Value* first = conv(half, {.channels = channels / 2, .kernel = 3});
    Value* second = conv(first, {.channels = channels / 2, .kernel = 3});
    merged_ = conv(b_.concat({second, first}, 1, name + ".route"), {.channels = channels});
    x = b_.concat({all, merged_}, 1, name + ".concat");
    return b_.max_pool(x, 2, 2, name + ".pool", Padding::Valid);
  }

  Value* head(Value* x, const std::string& name) {
    return b_.conv(x, {.channels = kYolov4Fields, .bias = true}, name + ".boxes");
  }

  NetworkBuilder b_;
  Value* merged_ = nullptr;  // Of the last partial block.
  int convs_ = 0;
};

}  // namespace

// MACs: half of the 6.9 BFLOPs at 416 of darknet's table. Parameters: counted from the .param file
// of ncnn's benchmark, with two to a channel whose batch norm it has folded.
extern const NetworkDef network_yolov4_tiny = {
    .name = "yolov4_tiny",
    .summary = "YOLOv4-tiny (2020), COCO, 416x416, boxes not decoded.",
    .published_parameters = 6056606,
    .published_macs = 6.9e9 / 2,
    .sized = {.extent = 416,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return YoloV4Tiny(seed).build(image); }},
};

}  // namespace hone
