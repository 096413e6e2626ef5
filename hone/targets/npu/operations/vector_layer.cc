#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {

sim::VectorCommand command_of(const sim::VectorOpDef& op, const Node& node,
                              const EvalOptions& options, IntRange range) {
  const TensorType& x = type_of(node.inputs[0]);
  const TensorType& y = type_of(node.outputs[0]);
  sim::VectorCommand command;
  command.op = &op;
  command.is_signed = x.dtype == DType::I8;
  command.a_zero = x.quant->zero_point();
  command.stage = {.rounding = options.rounding,
                   .zero_point = y.quant->zero_point(),
                   .low = range.low,
                   .high = range.high};
  return command;
}

Layer alike_layer(const Node& node, sim::VectorCommand command) {
  Layer layer;
  layer.output.image = image_of(type_of(node.outputs[0]));
  layer.inputs = {{node.inputs[0], layer.output.image}};
  command.a = command.output = view_of(layer.output.image);
  layer.cuts_rows = true;
  layer.work = command;
  return layer;
}

}  // namespace hone::npu
