// "YOLOX: Exceeding YOLO Series in 2021" (Megvii-BaseDetection/YOLOX), small: every cell gives
// centre and size in pixels, an object score and 80 class scores, from separate branches.

#include "hone/zoo/yolo_blocks.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kYoloxClasses = 80;
constexpr int64_t kYoloxHeadWidth = 128;

class YoloX {
 public:
  explicit YoloX(uint64_t seed) : b_("yolox_s", seed) {}

  Graph build() {
    const std::vector<Value*> features = neck(backbone());
    std::vector<Value*> outputs;
    for (size_t i = 0; i < features.size(); ++i) outputs.push_back(head(features[i], i));
    Value* x = b_.transpose(yolo_flatten(b_, outputs, "head.concat"), {0, 2, 1}, "head.permute");
    return b_.finish(decode(x, yolo_cells(b_, outputs, {8, 16, 32}, "head.cells")), "output");
  }

 private:
  // Every second pixel of every second row, four times.
  Value* focus(Value* x, int64_t channels, const std::string& name) {
    std::vector<Value*> parts;
    for (const Ints& begin : {Ints{0, 0}, Ints{1, 0}, Ints{0, 1}, Ints{1, 1}}) {
      const std::string part = str(name, ".slice.", parts.size());
      const auto ints = [&](const char* what, const Ints& values) {
        return b_.constant(str(part, ".", what), Tensor::of_ints(values));
      };
      constexpr int64_t kEnd = int64_t{1} << 31;
      parts.push_back(b_.apply("slice",
                               {x, ints("begin", begin), ints("end", {kEnd, kEnd}),
                                ints("axes", {2, 3}), ints("steps", {2, 2})},
                               part));
    }
    return blocks_.conv(b_.concat(parts, 1, name + ".concat"), channels, 3, 1, name + ".conv");
  }

  Value* csp(Value* x, int64_t channels, int repeats, bool shortcut, const std::string& name) {
    const int64_t hidden = channels / 2;
    Value* y = blocks_.conv(x, hidden, 1, 1, name + ".conv1");
    Value* bypass = blocks_.conv(x, hidden, 1, 1, name + ".conv2");
    for (int i = 0; i < repeats; ++i) {
      y = blocks_.bottleneck(y, hidden, 1, shortcut, str(name, ".m.", i));
    }
    return blocks_.conv(b_.concat({y, bypass}, 1, name + ".concat"), channels, 1, 1,
                        name + ".conv3");
  }

  Value* spp(Value* x, const std::string& name) {
    const int64_t channels = NetworkBuilder::channels(x);
    x = blocks_.conv(x, channels / 2, 1, 1, name + ".conv1");
    std::vector<Value*> parts = {x};
    for (const int64_t kernel : {5, 9, 13}) {
      parts.push_back(b_.max_pool(x, kernel, 1, str(name, ".m.", kernel)));
    }
    return blocks_.conv(b_.concat(parts, 1, name + ".concat"), channels, 1, 1, name + ".conv2");
  }

  std::vector<Value*> backbone() {
    Value* x = focus(b_.input("input", {1, 3, 640, 640}), 32, "backbone.stem");
    x = csp(blocks_.conv(x, 64, 3, 2, "backbone.dark2.0"), 64, 1, true, "backbone.dark2.1");
    Value* p3 =
        csp(blocks_.conv(x, 128, 3, 2, "backbone.dark3.0"), 128, 3, true, "backbone.dark3.1");
    Value* p4 =
        csp(blocks_.conv(p3, 256, 3, 2, "backbone.dark4.0"), 256, 3, true, "backbone.dark4.1");
    x = spp(blocks_.conv(p4, 512, 3, 2, "backbone.dark5.0"), "backbone.dark5.1");
    return {p3, p4, csp(x, 512, 1, false, "backbone.dark5.2")};
  }

  std::vector<Value*> neck(const std::vector<Value*>& from) {
    Value* p5 = blocks_.conv(from[2], 256, 1, 1, "neck.lateral_conv0");
    Value* x = b_.concat({b_.upsample(p5, "neck.upsample0"), from[1]}, 1, "neck.concat0");
    x = csp(x, 256, 1, false, "neck.C3_p4");
    Value* p4 = blocks_.conv(x, 128, 1, 1, "neck.reduce_conv1");
    x = b_.concat({b_.upsample(p4, "neck.upsample1"), from[0]}, 1, "neck.concat1");
    Value* small = csp(x, 128, 1, false, "neck.C3_p3");
    x = b_.concat({blocks_.conv(small, 128, 3, 2, "neck.bu_conv2"), p4}, 1, "neck.concat2");
    Value* medium = csp(x, 256, 1, false, "neck.C3_n3");
    x = b_.concat({blocks_.conv(medium, 256, 3, 2, "neck.bu_conv1"), p5}, 1, "neck.concat3");
    return {small, medium, csp(x, 512, 1, false, "neck.C3_n4")};
  }

  Value* branch(Value* x, const std::string& name) {
    for (int i = 0; i < 2; ++i) x = blocks_.conv(x, kYoloxHeadWidth, 3, 1, str(name, ".", i));
    return x;
  }

  // [batch, 5 + classes, h, w].
  Value* head(Value* x, size_t scale) {
    const auto name = [&](std::string_view part) { return str("head.", part, ".", scale); };
    x = blocks_.conv(x, kYoloxHeadWidth, 1, 1, name("stems"));
    Value* y = branch(x, name("cls_convs"));
    Value* classes = b_.conv(y, {.channels = kYoloxClasses, .bias = true}, name("cls_preds"));
    y = branch(x, name("reg_convs"));
    Value* box = b_.conv(y, {.channels = 4, .bias = true}, name("reg_preds"));
    Value* object = b_.conv(y, {.channels = 1, .bias = true}, name("obj_preds"));
    return b_.concat({box, b_.apply("sigmoid", {object}, name("obj_sigmoid")),
                      b_.apply("sigmoid", {classes}, name("cls_sigmoid"))},
                     1, name("concat"));
  }

  Value* decode(Value* x, const YoloCells& cells) {
    Value* corners = b_.transpose(cells.corners, {0, 2, 1}, "decode.corners");
    Value* strides = b_.transpose(cells.strides, {0, 2, 1}, "decode.strides");
    const auto parts = b_.split(x, {2, 2, 1 + kYoloxClasses}, 2, "decode.split");
    Value* centres = b_.apply("add", {parts[0], corners}, "decode.add");
    centres = b_.apply("mul", {centres, strides}, "decode.centres");
    Value* sizes = b_.apply("exp", {parts[1]}, "decode.exp");
    sizes = b_.apply("mul", {sizes, strides}, "decode.sizes");
    return b_.concat({centres, sizes, parts[2]}, 2, "decode.concat");
  }

  NetworkBuilder b_;
  YoloBlocks blocks_{b_, YoloBlocks::Act::Silu, 1e-3};
};

}  // namespace

// README of Megvii-BaseDetection/YOLOX: 9.0 M parameters, 26.8 GFLOPs at 640, two per MAC; AI Hub
// states 8.98 M.
extern const NetworkDef network_yolox_s = {
    .name = "yolox_s",
    .summary = "YOLOX small (2021), COCO, 640x640, boxes decoded.",
    .published_parameters = 8.98e6,
    .published_macs = 26.8e9 / 2,
    .build = [](uint64_t seed) { return YoloX(seed).build(); },
};

}  // namespace hone
