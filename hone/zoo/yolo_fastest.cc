// YOLO-Fastest 1.1 (dog-qiuqiu/Yolo-Fastest, yolo-fastest-1.1.cfg): inverted residuals of very few
// channels, pooling at three scales, and two heads. Boxes are not decoded.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kFields = 3 * 85;  // Three anchors of a box, an object score and 80 classes.

struct YoloFastestBlock {
  int64_t expanded;
  int64_t channels;
  int64_t stride;
  int repeats;
};
// With a shortcut where the shape stays.
constexpr YoloFastestBlock kHigh[] = {
    {8, 4, 1, 1},  {8, 4, 1, 1},   {24, 8, 2, 1},  {32, 8, 1, 2},  {32, 8, 2, 1},
    {48, 8, 1, 2}, {48, 16, 1, 1}, {96, 16, 1, 4}, {96, 24, 2, 1}, {136, 24, 1, 4},
};
constexpr YoloFastestBlock kLow[] = {{136, 48, 2, 1}, {224, 48, 1, 5}};

class YoloFastest {
 public:
  explicit YoloFastest(uint64_t seed) : b_("yolo_fastest", seed) {}

  Graph build(const Shape& image) {
    Value* x = b_.input("input", image);
    x = leaky(x, {.channels = 8, .kernel = 3, .stride = 2}, "stem");
    for (const YoloFastestBlock& block : kHigh) x = blocks(x, block);
    Value* high = x;
    for (const YoloFastestBlock& block : kLow) x = blocks(x, block);
    Value* low = leaky(pyramid(x), {.channels = 96}, "low.0");
    Value* merged = b_.concat({b_.upsample(low, "upsample"), high}, 1, "merge");
    return b_.finish({{head(low, "low"), "boxes_10"}, {head(merged, "high"), "boxes_20"}});
  }

 private:
  Value* linear(Value* x, const Conv& conv, const std::string& name) {
    return b_.batch_norm(b_.conv(x, conv, name + ".conv"), name + ".bn");
  }

  Value* leaky(Value* x, const Conv& conv, const std::string& name) {
    return b_.leaky_relu(linear(x, conv, name), 0.1, name + ".leaky");
  }

  Value* depthwise(Value* x, int64_t kernel, int64_t stride, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    return leaky(x, {.channels = n, .kernel = kernel, .stride = stride, .groups = n}, name);
  }

  Value* blocks(Value* x, const YoloFastestBlock& block) {
    for (int i = 0; i < block.repeats; ++i) {
      const std::string name = str("block.", block_++);
      const bool residual = block.stride == 1 && NetworkBuilder::channels(x) == block.channels;
      Value* y = leaky(x, {.channels = block.expanded}, name + ".expand");
      y = depthwise(y, 3, block.stride, name + ".depthwise");
      y = linear(y, {.channels = block.channels}, name + ".project");
      x = residual ? b_.apply("add", {y, x}, name + ".add") : y;
    }
    return x;
  }

  Value* pyramid(Value* x) {
    std::vector<Value*> parts;
    for (const int64_t kernel : {9, 5, 3}) {
      parts.push_back(b_.max_pool(x, kernel, 1, str("pyramid.pool", kernel)));
    }
    parts.push_back(x);
    return b_.concat(parts, 1, "pyramid.concat");
  }

  Value* head(Value* x, const std::string& name) {
    const Conv mix = {.channels = NetworkBuilder::channels(x)};
    for (const int i : {1, 3}) {
      x = depthwise(x, 5, 1, str(name, ".", i));
      x = linear(x, mix, str(name, ".", i + 1));
    }
    return b_.conv(x, {.channels = kFields, .bias = true}, name + ".boxes");
  }

  NetworkBuilder b_;
  int block_ = 0;
};

}  // namespace

// MACs: half of the 0.252 BFlops at 320 of the repository's table. Parameters: counted by hand from
// the layers; the table's 0.35 M have the batch norms' statistics in them.
extern const NetworkDef network_yolo_fastest = {
    .name = "yolo_fastest",
    .summary = "YOLO-Fastest 1.1 (2021), COCO, 320x320, boxes not decoded.",
    .published_parameters = 332798,
    .published_macs = 0.252e9 / 2,
    .sized = {.extent = 320,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return YoloFastest(seed).build(image); }},
};

}  // namespace hone
