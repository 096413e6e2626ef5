#include "hone/ops/op_def.h"
#include "hone/ops/reduce/reduce_quantized.h"
#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kMeanOps[] = {"reduce_mean"};

// Over height and width, as global pools come.
std::optional<Layer> make_mean(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || type_of(&x).dtype != type_of(&y).dtype) {
    return std::nullopt;
  }
  const Shape& shape = type_of(&x).shape;
  if (shape.size() != 4 || shape[0] != 1 || node.inputs.size() < 2 || node.inputs[1] == nullptr ||
      !node.inputs[1]->constant) {
    return std::nullopt;
  }
  Ints axes = to_ints(*node.inputs[1]->constant);
  for (int64_t& axis : axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(axes);
  if (axes != Ints{1, 2}) return std::nullopt;
  Layer layer;
  layer.inputs = {{&x, {shape[1], shape[2], shape[3]}}};
  layer.output.image = {1, 1, shape[3]};
  sim::VectorCommand command =
      command_of(sim::vector_op_mean, node, options, range_of(type_of(&y).dtype));
  command.factors[2] = mean_factor(type_of(&x), type_of(&y), shape[1] * shape[2]);
  command.window.kernel_h = shape[1];
  command.window.kernel_w = shape[2];
  command.a = view_of(layer.inputs[0].image);
  command.output = view_of(layer.output.image);
  layer.cuts_channels = true;
  layer.work = command;
  return layer;
}

}  // namespace

extern const OperationDef operation_mean = {
    .ops = kMeanOps, .layer = make_mean, .vector = &sim::vector_op_mean};

}  // namespace hone::npu
