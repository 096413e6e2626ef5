#include "hone/zoo/yolo_blocks.h"

namespace hone {
namespace {

constexpr double kYoloLeak = 0.1;

Value* yolo_integer(NetworkBuilder& b, int64_t value, const std::string& name) {
  return b.constant(name, Tensor::of<int64_t>({}, {value}));
}

// Of h x w values, one per cell: [1, 1, cells].
Value* yolo_spread(NetworkBuilder& b, Value* x, Value* extents, const std::string& name) {
  return b.reshape(b.apply("expand", {x, extents}, name + ".expand"), {1, 1, -1}, name);
}

// (2 s - 0.5 + cell) * stride.
Value* yolo_centres(NetworkBuilder& b, Value* s, Value* corners, int64_t stride,
                    const std::string& name) {
  Value* cells = b.transpose(corners, {0, 2, 1}, name + ".cells");
  cells = b.apply("sub", {cells, b.scalar(0.5f)}, name + ".shifted");
  Value* x = b.apply("mul", {s, b.scalar(2)}, name + ".double");
  x = b.apply("add", {x, cells}, name + ".add");
  return b.apply("mul", {x, b.scalar(static_cast<float>(stride))}, name);
}

// (2 s)^2 * anchor.
Value* yolo_sizes(NetworkBuilder& b, Value* s, std::span<const float> anchors,
                  const std::string& name) {
  const auto count = static_cast<int64_t>(anchors.size() / 2);
  const std::vector<float> sizes(anchors.begin(), anchors.end());
  Value* factors = b.constant(name + ".anchors", Tensor::of<float>({1, count, 1, 2}, sizes));
  Value* x = b.apply("mul", {s, b.scalar(2)}, name + ".double");
  x = b.apply("pow", {x, b.scalar(2)}, name + ".square");
  return b.apply("mul", {x, factors}, name);
}

}  // namespace

Value* YoloBlocks::conv(Value* x, int64_t channels, int64_t kernel, int64_t stride,
                        const std::string& name) {
  return activate(linear(x, {.channels = channels, .kernel = kernel, .stride = stride}, name),
                  name + ".act");
}

Value* YoloBlocks::depthwise(Value* x, int64_t kernel, const std::string& name) {
  const int64_t n = NetworkBuilder::channels(x);
  return activate(linear(x, {.channels = n, .kernel = kernel, .groups = n}, name), name + ".act");
}

Value* YoloBlocks::linear(Value* x, const Conv& conv, const std::string& name) {
  return b_.batch_norm(b_.conv(x, conv, name + ".conv"), name + ".bn", epsilon_);
}

Value* YoloBlocks::activate(Value* x, const std::string& name) {
  return act_ == Act::Leaky ? b_.leaky_relu(x, kYoloLeak, name)
                            : b_.activation(x, Nonlinearity::Swish, name);
}

Value* YoloBlocks::bottleneck(Value* x, int64_t channels, int64_t first_kernel, bool shortcut,
                              const std::string& name) {
  Value* y = conv(x, channels, first_kernel, 1, name + ".cv1");
  y = conv(y, NetworkBuilder::channels(x), 3, 1, name + ".cv2");
  return shortcut ? b_.apply("add", {x, y}, name + ".add") : y;
}

Value* YoloBlocks::sppf(Value* x, int64_t channels, const std::string& name) {
  Value* y = conv(x, NetworkBuilder::channels(x) / 2, 1, 1, name + ".cv1");
  std::vector<Value*> parts = {y};
  for (int i = 0; i < 3; ++i) parts.push_back(b_.max_pool(parts.back(), 5, 1, str(name, ".m.", i)));
  return conv(b_.concat(parts, 1, name + ".concat"), channels, 1, 1, name + ".cv2");
}

Value* yolo_positions(NetworkBuilder& b, Value* x, int64_t axis, const std::string& name) {
  Value* extent =
      b.apply("shape", {x}, name + ".extent", {{"start", axis}, {"end", int64_t{axis + 1}}});
  Value* numbers =
      b.apply("range",
              {yolo_integer(b, 0, name + ".begin"), b.apply("squeeze", {extent}, name + ".end"),
               yolo_integer(b, 1, name + ".step")},
              name + ".range");
  return b.apply("cast", {numbers}, name, {{"to", DType::F32}});
}

YoloCells yolo_cells(NetworkBuilder& b, const std::vector<Value*>& features,
                     const std::vector<int64_t>& strides, const std::string& name) {
  std::vector<Value*> corners, pixels;
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string part = str(name, ".", i);
    Value* extents = b.apply("shape", {features[i]}, part + ".extents", {{"start", int64_t{2}}});
    Value* column = yolo_positions(b, features[i], 3, part + ".column");
    Value* row = b.reshape(yolo_positions(b, features[i], 2, part + ".row"), {-1, 1}, part + ".y");
    corners.push_back(b.concat({yolo_spread(b, column, extents, part + ".columns"),
                                yolo_spread(b, row, extents, part + ".rows")},
                               1, part + ".corners"));
    pixels.push_back(
        yolo_spread(b, b.scalar(static_cast<float>(strides[i])), extents, part + ".strides"));
  }
  return {b.concat(corners, 2, name + ".corners"), b.concat(pixels, 2, name + ".strides")};
}

Value* yolo_anchor_boxes(NetworkBuilder& b, Value* x, std::span<const float> anchors,
                         int64_t stride, const std::string& name) {
  const auto count = static_cast<int64_t>(anchors.size() / 2);
  const int64_t fields = NetworkBuilder::channels(x) / count;
  Value* corners = yolo_cells(b, {x}, {stride}, name + ".cells").corners;
  x = b.reshape(x, {0, count, fields, -1}, name + ".split_anchors");
  x = b.apply("sigmoid", {b.transpose(x, {0, 1, 3, 2}, name + ".transpose")}, name + ".sigmoid");
  const std::vector<Value*> parts = b.split(x, {2, 2, fields - 4}, 3, name + ".split");
  x = b.concat({yolo_centres(b, parts[0], corners, stride, name + ".centres"),
                yolo_sizes(b, parts[1], anchors, name + ".sizes"), parts[2]},
               3, name + ".concat");
  return b.reshape(x, {0, -1, fields}, name + ".boxes");
}

Value* yolo_flatten(NetworkBuilder& b, const std::vector<Value*>& features,
                    const std::string& name) {
  std::vector<Value*> flat;
  for (size_t i = 0; i < features.size(); ++i) {
    flat.push_back(b.reshape(features[i], {0, NetworkBuilder::channels(features[i]), -1},
                             str(name, ".reshape.", i)));
  }
  return b.concat(flat, 2, name);
}

}  // namespace hone
