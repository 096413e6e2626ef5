#include "hone/model/tflite_rules/padding.h"

#include <algorithm>

namespace hone {
namespace {

constexpr int64_t kRow = 3;  // Axes of [N, W, C].

Shape image_shape(Shape shape) {
  if (std::ssize(shape) == kRow) shape.insert(shape.begin() + 1, 1);
  return shape;
}

TensorType image_type(TensorType type) {
  type.shape = image_shape(type.shape);
  return type;
}

void add_reshape(TfliteExport& out, const std::string& name, int from, int to, const Shape& shape) {
  out.add("RESHAPE", {from, out.ints(name + "/shape", shape)}, {to}, {{"new_shape", shape}});
}

// Pixels behind the image that the last window reads.
int64_t read_behind(const WindowAxis& axis) {
  const int64_t end = (axis.out - 1) * axis.stride + axis.reach();
  return std::max(end - axis.pad_begin - axis.in, int64_t{0});
}

}  // namespace

bool is_same_padding(const WindowAxis& axis) {
  const int64_t out = (axis.in + axis.stride - 1) / axis.stride;
  const int64_t total = std::max((out - 1) * axis.stride + axis.reach() - axis.in, int64_t{0});
  return axis.out == out && axis.pad_begin == total / 2;
}

TfliteImage padded_image(TfliteExport& out, const Node& node, const Window& window,
                         const std::optional<Tensor>& fill) {
  const Value* x = node.inputs[0];
  TensorType type = image_type(x->type.tensor);
  int tensor = out.tensor(x);
  if (x->type.tensor.rank() == kRow) {
    const int image = out.temporary(x->name + "/image", type);
    add_reshape(out, x->name, tensor, image, type.shape);
    tensor = image;
  }
  const WindowAxis axes[] = {window.axes[1], window.axes[2]};
  const bool none = std::ranges::all_of(
      axes, [](const WindowAxis& axis) { return axis.pad_begin == 0 && read_behind(axis) == 0; });
  if (none) return {tensor, "VALID"};
  if (std::ranges::all_of(axes, is_same_padding)) return {tensor, "SAME"};
  std::vector<int32_t> pads(8);
  for (size_t i = 0; i < 2; ++i) {
    pads[2 * i + 2] = static_cast<int32_t>(axes[i].pad_begin);
    pads[2 * i + 3] = static_cast<int32_t>(read_behind(axes[i]));
    type.shape[i + 1] += pads[2 * i + 2] + pads[2 * i + 3];
  }
  const std::string name = node.outputs[0]->name + "/pad";
  std::vector<int> inputs{tensor, out.constant(name + "s", Tensor::of<int32_t>({4, 2}, pads))};
  if (fill) inputs.push_back(out.constant(name + "_value", *fill));
  const int padded = out.temporary(name, std::move(type));
  out.add(fill ? "PADV2" : "PAD", std::move(inputs), {padded});
  return {padded, "VALID"};
}

int begin_image(TfliteExport& out, const Node& node) {
  const Value* y = node.outputs[0];
  if (y->type.tensor.rank() != kRow) return out.tensor(y);
  return out.temporary(y->name + "/image", image_type(y->type.tensor));
}

void end_image(TfliteExport& out, const Node& node, int image) {
  const Value* y = node.outputs[0];
  if (y->type.tensor.rank() != kRow) return;
  add_reshape(out, y->name, image, out.tensor(y), y->type.tensor.shape);
}

Status check_image_node(const Node& node) {
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  if (rank != 3 && rank != 4) {
    return unsupported("an image of ", rank - 2, " spatial axes, where TFLite has 1 or 2");
  }
  if (export_attr<std::string>(node, "layout") == "nhwc") return Done{};
  return unsupported("its image has channels first, which TFLite has not");
}

}  // namespace hone
