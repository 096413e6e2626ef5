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

}  // namespace

Value* YoloBlocks::conv(Value* x, int64_t channels, int64_t kernel, int64_t stride,
                        const std::string& name) {
  x = b_.conv(x, {.channels = channels, .kernel = kernel, .stride = stride}, name + ".conv");
  x = b_.batch_norm(x, name + ".bn", epsilon_);
  return act_ == Act::Leaky ? b_.leaky_relu(x, kYoloLeak, name + ".act")
                            : b_.activation(x, Nonlinearity::Swish, name + ".act");
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
