// concat and split: runs of bytes from one place to another.

#include "hone/ops/common.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/join_step.h"

namespace hone::cpu {
namespace {

std::unique_ptr<Step> lower_concat_node(const Node& node, StepBuilder& builder) {
  const TensorType& first = node.inputs[0]->type.tensor;
  const size_t values = node.op == "concat" ? node.inputs.size() : 1;
  for (size_t i = 0; i < values + node.outputs.size(); ++i) {
    const Value* value = i < values ? node.inputs[i] : node.outputs[i - values];
    if (value == nullptr || !builder.planned(value)) return nullptr;
    const TensorType& type = value->type.tensor;
    if (type.dtype != first.dtype || type.elements() == 0 ||
        type.quantized() != first.quantized() ||
        (type.quantized() && !same_quantization(type, first))) {
      return nullptr;
    }
  }
  if (bits_of(first.dtype) % 8 != 0) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const auto axis = resolve_axis(context.integer("axis"), first.rank());
  if (!axis.ok()) return nullptr;
  return std::make_unique<JoinStep>(node, *axis, builder);
}

}  // namespace

extern const LoweringDef lower_concat = {.op = "concat", .lower = lower_concat_node};
extern const LoweringDef lower_split = {.op = "split", .lower = lower_concat_node};

}  // namespace hone::cpu
