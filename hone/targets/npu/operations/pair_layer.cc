#include "hone/targets/npu/operations/pair_layer.h"

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/ops/op_def.h"

namespace hone::npu {
namespace {

// How an operand of `from` is walked to give every element of an image of `to`; nothing when it
// takes more than rows, pixels and channels to say it.
std::optional<sim::View> broadcast_to(const Value& operand, const Shape& to, const Image& image) {
  const Shape& from = type_of(&operand).shape;
  sim::View view = view_of(image);
  Shape padded(to.size() - from.size(), 1);
  padded.insert(padded.end(), from.begin(), from.end());
  if (padded == to) return view;
  const bool scalar = std::ranges::all_of(padded, [](int64_t extent) { return extent == 1; });
  if (scalar && (image.channels == 1 || operand.constant)) {
    view.row_stride = view.pixel_stride = 0;
    return view;
  }
  // All leading axes are one pixel: channels alone.
  const bool channels_only =
      padded.back() == to.back() &&
      std::all_of(padded.begin(), padded.end() - 1, [](int64_t extent) { return extent == 1; });
  if (!channels_only) return std::nullopt;
  view.row_stride = view.pixel_stride = 0;
  return view;
}

bool whole(const sim::View& view, const Image& image) {
  return image.height * image.width > 1 && view.row_stride == 0 && view.pixel_stride == 0;
}

Image stored_image(const sim::View& view, const Image& image) {
  return whole(view, image) ? Image{1, 1, image.channels} : image;
}

// Sets operand b, a constant or a second activation.
void set_second(const Node& node, const sim::View& view, Layer& layer) {
  const Value& b = *node.inputs[1];
  if (b.constant) {
    const auto bytes = b.constant->bytes();
    const size_t repeats = bytes.size() == 1 ? static_cast<size_t>(view.channels) : 1;
    for (size_t i = 0; i < repeats; ++i) {
      layer.constants.insert(layer.constants.end(), bytes.begin(), bytes.end());
    }
    layer.constant_is_operand = true;
    return;
  }
  const Image image = stored_image(view, layer.output.image);
  layer.inputs.push_back({&b, image, whole(view, layer.output.image)});
}

}  // namespace

std::optional<Layer> pair_layer(const Node& node, const EvalOptions& options,
                                const sim::VectorOpDef& op, SetFactors set_factors) {
  const Value& a = *node.inputs[0];
  const Value& b = *node.inputs[1];
  const Value& y = *node.outputs[0];
  if (!is_byte(a) || !is_byte(b) || !is_byte(y) || a.constant) return std::nullopt;
  const TensorType& type = type_of(&y);
  if (type_of(&a).dtype != type.dtype || type_of(&b).dtype != type.dtype) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), type);
  Layer layer;
  layer.output.image = image_of(type);
  const auto first = broadcast_to(a, type.shape, layer.output.image);
  const auto second = broadcast_to(b, type.shape, layer.output.image);
  if (!range.ok() || !first || !second) return std::nullopt;
  sim::VectorCommand command = command_of(op, node, options, *range);
  command.b_zero = type_of(&b).quant->zero_point();
  if (!set_factors(type_of(&a), type_of(&b), type, command)) return std::nullopt;
  command.a = *first;
  command.b = *second;
  command.output = view_of(layer.output.image);
  layer.inputs = {
      {&a, stored_image(*first, layer.output.image), whole(*first, layer.output.image)}};
  set_second(node, *second, layer);
  layer.cuts_rows = true;
  layer.work = command;
  return layer;
}

bool set_sum_factors(const TensorType& a, const TensorType& b, const TensorType& y, bool subtract,
                     sim::VectorCommand& command) {
  const auto factors = sum_factors(a, b, y, subtract);
  if (!factors.ok()) return false;
  command.factors = {factors->a, factors->b, factors->y};
  return true;
}

}  // namespace hone::npu
