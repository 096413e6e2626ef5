#include "hone/zoo/yolo_dfl_head.h"

#include <algorithm>

namespace hone {
namespace {

constexpr int64_t kDflClasses = 80;
constexpr int64_t kDflBins = 16;
constexpr int64_t kDflMasks = 32;

}  // namespace

Value* YoloDflHead::separable(Value* x, int64_t channels, const std::string& name) {
  return blocks_.conv(blocks_.depthwise(x, 3, name + ".0"), channels, 1, 1, name + ".1");
}

// Three convolutions per scale: [batch, results, cells].
Value* YoloDflHead::branch(const std::vector<Value*>& features, int64_t hidden, int64_t results,
                           bool light, const std::string& name) {
  std::vector<Value*> parts;
  for (size_t i = 0; i < features.size(); ++i) {
    Value* x = features[i];
    for (int layer = 0; layer < 2; ++layer) {
      const std::string part = str(name, ".", i, ".", layer);
      x = light ? separable(x, hidden, part) : blocks_.conv(x, hidden, 3, 1, part);
    }
    parts.push_back(b_.conv(x, {.channels = results, .bias = true}, str(name, ".", i, ".2")));
  }
  return yolo_flatten(b_, parts, name + ".concat");
}

Value* YoloDflHead::detect(const std::vector<Value*>& features, const std::vector<int64_t>& strides,
                           const std::string& name) {
  const int64_t first = NetworkBuilder::channels(features[0]);
  Value* boxes =
      branch(features, std::max(first / 4, 4 * kDflBins), 4 * kDflBins, false, name + ".cv2");
  Value* scores =
      branch(features, std::max(first, kDflClasses), kDflClasses, light_, name + ".cv3");
  const YoloCells cells = yolo_cells(b_, features, strides, name + ".cells");
  boxes = decode(distances(boxes, name + ".dfl"), cells, name + ".boxes");
  return b_.concat({boxes, b_.apply("sigmoid", {scores}, name + ".sigmoid")}, 1, name + ".concat");
}

// The mean of each distribution: softmax and a convolution whose weights are 0 to 15.
Value* YoloDflHead::distances(Value* x, const std::string& name) {
  x = b_.reshape(x, {0, 4, kDflBins, -1}, name + ".split");
  x = b_.transpose(x, {0, 2, 1, 3}, name + ".transpose");
  x = b_.apply("softmax", {x}, name + ".softmax", {{"axis", int64_t{1}}});
  std::vector<float> bins;
  for (int64_t i = 0; i < kDflBins; ++i) bins.push_back(static_cast<float>(i));
  Value* w = b_.constant(name + ".conv.weight", Tensor::of<float>({1, kDflBins, 1, 1}, bins));
  x = b_.apply("conv", {x, w}, name + ".conv", {{"kernel_shape", Ints{1, 1}}});
  return b_.reshape(x, {0, 4, -1}, name);
}

// Middle and size in pixels from the distances to the left, top, right and bottom.
Value* YoloDflHead::decode(Value* x, const YoloCells& cells, const std::string& name) {
  Value* middles = b_.apply("add", {cells.corners, b_.scalar(0.5f)}, name + ".middles");
  const std::vector<Value*> parts = b_.split(x, {2, 2}, 1, name + ".split");
  Value* begin = b_.apply("sub", {middles, parts[0]}, name + ".begin");
  Value* end = b_.apply("add", {middles, parts[1]}, name + ".end");
  Value* sum = b_.apply("add", {begin, end}, name + ".sum");
  Value* centre = b_.apply("mul", {sum, b_.scalar(0.5f)}, name + ".centre");
  Value* size = b_.apply("sub", {end, begin}, name + ".size");
  x = b_.concat({centre, size}, 1, name + ".concat");
  return b_.apply("mul", {x, cells.strides}, name);
}

// At a quarter of the resolution; a box's mask is a weighted sum of them.
Value* YoloDflHead::prototypes(Value* x, const std::string& name) {
  const int64_t hidden = NetworkBuilder::channels(x);
  x = blocks_.conv(x, hidden, 3, 1, name + ".cv1");
  const Conv twice = {
      .channels = hidden, .kernel = 2, .stride = 2, .padding = Padding::Valid, .bias = true};
  x = blocks_.conv(b_.conv_transpose(x, twice, name + ".upsample"), hidden, 3, 1, name + ".cv2");
  return blocks_.conv(x, kDflMasks, 1, 1, name + ".cv3");
}

Graph YoloDflHead::finish_with_masks(const std::vector<Value*>& features, const std::string& name) {
  Value* boxes = detect(features, {8, 16, 32}, name);
  Value* weights = branch(features, kDflMasks, kDflMasks, false, name + ".cv4");
  Value* output = b_.concat({boxes, weights}, 1, name + ".with_masks");
  return b_.finish({{output, "output"}, {prototypes(features[0], name + ".proto"), "masks"}});
}

}  // namespace hone
