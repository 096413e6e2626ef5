// Parts of one quantization side by side.

#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

Result<Step> emit_concat_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, node.inputs.size()));
  const TensorType& y = node.outputs[0]->type.tensor;
  const NodeContext context(*find_op(node.op), node);
  HONE_TRY(const size_t axis, resolve_axis(context.integer("axis"), y.rank()));
  int64_t rows = 1;
  for (size_t i = 0; i < axis; ++i) rows *= y.shape[i];
  const int64_t pitch = y.elements() / rows;
  Step step{.write = node.outputs[0]};
  int64_t offset = 0;
  for (const Value* part : node.inputs) {
    if (part->constant) return unsupported("a part that is constant");
    if (!same_quantization(part->type.tensor, y)) {
      return unsupported("parts of other scales than the whole");
    }
    const int64_t bytes = part->type.tensor.elements() / rows;
    const bool hvx = options.core.hvx && bytes >= kLeastHvxRun;
    step.calls.push_back(
        {hvx ? "hone_hvx_copy_rows" : "hone_copy_rows",
         {str(rows), str(bytes), str(pitch), str("x", step.reads.size()), str("y + ", offset)}});
    step.reads.push_back(part);
    offset += bytes;
  }
  return step;
}

}  // namespace

extern const EmitterDef emit_concat = {.op = "concat", .emit = emit_concat_node};

}  // namespace hone::c_code
