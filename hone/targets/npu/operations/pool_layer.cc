#include "hone/targets/npu/operations/pool_layer.h"

#include "hone/ops/op_def.h"
#include "hone/ops/pool/windows.h"

namespace hone::npu {

std::optional<Layer> pool_layer(const Node& node, const EvalOptions& options,
                                const sim::VectorOpDef& op) {
  const Value& x = *node.inputs[0];
  if (!is_byte(x) || !is_byte(*node.outputs[0]) || x.constant) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto pool = pool_geometry(context, type_of(&x).shape);
  const auto range = activation_range(context.text("activation"), type_of(node.outputs[0]));
  if (!pool.ok() || !range.ok() || !pool->nhwc || pool->window.rank > 2 || pool->batch != 1) {
    return std::nullopt;
  }
  const WindowAxis& height = pool->window.axes[1];
  const WindowAxis& width = pool->window.axes[2];
  const bool average = &op == &sim::vector_op_average_pool;
  if (average && counts_padding(context, pool->window)) return std::nullopt;
  Layer layer;
  layer.inputs = {{&x, {height.in, width.in, pool->channels}}};
  layer.output.image = {height.out, width.out, pool->channels};
  sim::VectorCommand command = command_of(op, node, options, *range);
  command.window = window_of(height, width);
  command.a = view_of(layer.inputs[0].image);
  command.output = view_of(layer.output.image);
  layer.cuts_rows = true;
  layer.cuts_channels = true;
  layer.work = command;
  return layer;
}

std::optional<NodeWindow> window_of_pool(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const auto pool = pool_geometry(context, type_of(node.inputs[0]).shape);
  if (!pool.ok()) return std::nullopt;
  return NodeWindow{pool->window, pool->batch, pool->channels, pool->channels, 1, pool->nhwc};
}

}  // namespace hone::npu
