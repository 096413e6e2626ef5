// NanoDet-m (RangiLyu/nanodet, config/nanodet-m.yml): ShuffleNet v2 with leaky relus, sums up and
// down three scales, and light heads. Per cell and class a score, per cell and side of its box a
// distribution over 8 distances.

#include "hone/zoo/shufflenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kNanodetClasses = 80;
constexpr int64_t kNanodetSides = 4 * 8;
constexpr int64_t kNanodetWidth = 96;
constexpr double kNanodetLeak = 0.1;

class NanoDet {
 public:
  explicit NanoDet(uint64_t seed) : b_("nanodet_m", seed) {}

  Graph build(const Shape& image) {
    const ShuffleNetV2Options options = {.channels = {116, 232, 464}, .leak = kNanodetLeak};
    const std::vector<Value*> maps =
        neck(shufflenet_v2_stages(b_, b_.input("input", image), options));
    const std::string_view names[][2] = {{"cls_pred_stride_8", "dis_pred_stride_8"},
                                         {"cls_pred_stride_16", "dis_pred_stride_16"},
                                         {"cls_pred_stride_32", "dis_pred_stride_32"}};
    std::vector<std::pair<Value*, std::string_view>> outputs;
    for (size_t i = 0; i < maps.size(); ++i) {
      const auto [scores, sides] = head(maps[i], str("head.", i));
      outputs.emplace_back(scores, names[i][0]);
      outputs.emplace_back(sides, names[i][1]);
    }
    return b_.finish(outputs);
  }

 private:
  Value* scaled(Value* x, float scale, const std::string& name) {
    Value* scales = b_.constant(name + ".scales", Tensor::of<float>({4}, {1, 1, scale, scale}));
    return b_.apply("resize", {x, nullptr, scales}, name, {{"mode", std::string("linear")}});
  }

  std::vector<Value*> neck(std::vector<Value*> maps) {
    for (size_t i = 0; i < maps.size(); ++i) {
      maps[i] = b_.conv(maps[i], {.channels = kNanodetWidth, .bias = true}, str("lateral.", i));
    }
    const auto merge = [&](size_t into, size_t from, float scale, const std::string& name) {
      Value* x = scaled(maps[from], scale, str(name, ".", into, ".resize"));
      maps[into] = b_.apply("add", {maps[into], x}, str(name, ".", into));
    };
    merge(1, 2, 2, "down");
    merge(0, 1, 2, "down");
    merge(1, 0, 0.5f, "up");
    merge(2, 1, 0.5f, "up");
    return maps;
  }

  Value* conv(Value* x, const Conv& conv, const std::string& name) {
    x = b_.batch_norm(b_.conv(x, conv, name), name + ".bn");
    return b_.leaky_relu(x, kNanodetLeak, name + ".act");
  }

  // [n, cells, fields]
  Value* cells(Value* x, const std::string& name) {
    const Shape& map = NetworkBuilder::shape(x);
    x = b_.reshape(x, {map[0], map[1], map[2] * map[3]}, name + ".reshape");
    return b_.transpose(x, {0, 2, 1}, name + ".transpose");
  }

  std::pair<Value*, Value*> head(Value* x, const std::string& name) {
    const int64_t n = kNanodetWidth;
    for (int i = 0; i < 2; ++i) {
      const std::string part = str(name, ".", i);
      x = conv(x, {.channels = n, .kernel = 3, .groups = n}, part + ".depthwise");
      x = conv(x, {.channels = n}, part + ".pointwise");
    }
    x = b_.conv(x, {.channels = kNanodetClasses + kNanodetSides, .bias = true}, name + ".cls");
    const std::vector<Value*> parts =
        b_.split(x, {kNanodetClasses, kNanodetSides}, 1, name + ".split");
    Value* scores = b_.apply("sigmoid", {parts[0]}, name + ".sigmoid");
    return {cells(scores, name + ".scores"), cells(parts[1], name + ".sides")};
  }

  NetworkBuilder b_;
};

}  // namespace

// Parameters: the README's table. MACs: counted from nanodet_m.param of ncnn's benchmark; the table
// has 0.72 GFLOPs at 320, and does not say what it counts.
extern const NetworkDef network_nanodet_m = {
    .name = "nanodet_m",
    .summary = "NanoDet-m (2020), COCO, 320x320, boxes not decoded.",
    .published_parameters = 0.95e6,
    .published_macs = 342223200,
    .sized = {.extent = 320,
              .multiple = 32,
              .build = [](const Shape& image,
                          uint64_t seed) { return NanoDet(seed).build(image); }},
};

}  // namespace hone
