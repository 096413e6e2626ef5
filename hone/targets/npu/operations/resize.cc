#include <cstring>

#include "hone/ops/op_def.h"
#include "hone/ops/vision/resize_plan.h"
#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kResizeOps[] = {"resize"};

// To the nearest, along height and width.
std::optional<Layer> make_resize(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || type_of(&x).shape.size() != 4)
    return std::nullopt;
  if (!same_quantization(type_of(&x), type_of(&y))) return std::nullopt;
  const auto constant = [&](size_t input) -> const Tensor* {
    const bool there = input < node.inputs.size() && node.inputs[input] != nullptr;
    return there && node.inputs[input]->constant ? &*node.inputs[input]->constant : nullptr;
  };
  const NodeContext context(*find_op(node.op), node);
  const auto plan =
      resize_plan(context, type_of(&x).shape, {constant(1), constant(2), constant(3)});
  if (!plan.ok() || plan->mode.kind != ResizeMode::Kind::Nearest ||
      plan->shape() != type_of(&y).shape || plan->axes[0].in != 1) {
    return std::nullopt;
  }
  std::vector<int32_t> sources;  // Rows, then columns.
  for (size_t axis = 0; axis < 4; ++axis) {
    const ResizeTable table = resize_table(plan->axes[axis], plan->mode);
    if (std::ranges::find(table.outside, true) != table.outside.end()) return std::nullopt;
    if (axis == 0 || axis == 3) {
      if (!table.identity(plan->axes[axis])) return std::nullopt;
      continue;
    }
    for (const auto& tap : table.taps) sources.push_back(static_cast<int32_t>(tap.index));
  }
  Layer layer;
  layer.inputs = {{&x, image_of(type_of(&x))}};
  layer.output.image = image_of(type_of(&y));
  if (std::ssize(sources) != layer.output.image.height + layer.output.image.width) {
    return std::nullopt;
  }
  layer.constants.resize(sources.size() * sizeof(int32_t));
  std::memcpy(layer.constants.data(), sources.data(), layer.constants.size());
  sim::VectorCommand command =
      command_of(sim::vector_op_resize, node, options, range_of(type_of(&y).dtype));
  command.a = view_of(layer.inputs[0].image);
  command.output = view_of(layer.output.image);
  layer.cuts_channels = true;
  layer.work = command;
  return layer;
}

}  // namespace

extern const OperationDef operation_resize = {
    .ops = kResizeOps, .layer = make_resize, .vector = &sim::vector_op_resize};

}  // namespace hone::npu
