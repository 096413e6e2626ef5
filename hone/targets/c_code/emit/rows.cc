// Softmax, whose exponentials are a table.

#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

Result<Step> emit_softmax_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const TensorType& x = node.inputs[0]->type.tensor;
  Step step{.calls = {{"hone_softmax",
                       {str(x.elements() / x.shape.back()), str(x.shape.back()), "c0", "x0", "y"}}},
            .reads = {node.inputs[0]},
            .write = node.outputs[0],
            .in_place = true};
  step.arrays.push_back(byte_exponentials(x.quant->scale(), options.eval.rounding));
  return step;
}

}  // namespace

extern const EmitterDef emit_softmax = {.op = "softmax", .emit = emit_softmax_node};

}  // namespace hone::c_code
