// Softmax, whose exponentials are a table.

#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/targets/c_code/emitter.h"
#include "hone/targets/c_code/hvx_layer.h"

namespace hone::c_code {
namespace {

// The four bytes of each as tables that vectors look up.
std::vector<int8_t> exponential_tables(const std::vector<int32_t>& exponentials) {
  std::vector<int8_t> tables(sizeof(int32_t) * 256);
  for (size_t byte = 0; byte < sizeof(int32_t); ++byte) {
    for (size_t e = 0; e < 256; ++e) {
      const uint32_t value = static_cast<uint32_t>(exponentials[e]) >> (8 * byte);
      tables[256 * byte + hvx_table_place(e)] = static_cast<int8_t>(value & 0xff);
    }
  }
  return tables;
}

Result<Step> emit_softmax_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const TensorType& x = node.inputs[0]->type.tensor;
  const bool hvx = options.core.hvx;
  Step step{.calls = {{hvx ? "hone_hvx_softmax" : "hone_softmax",
                       {str(x.elements() / x.shape.back()), str(x.shape.back()), "c0", "x0", "y"}}},
            .reads = {node.inputs[0]},
            .write = node.outputs[0],
            .in_place = true};
  auto exponentials = byte_exponentials(x.quant->scale(), options.eval.rounding);
  if (hvx) {
    step.arrays.push_back(exponential_tables(exponentials));
  } else {
    step.arrays.push_back(std::move(exponentials));
  }
  return step;
}

}  // namespace

extern const EmitterDef emit_softmax = {.op = "softmax", .emit = emit_softmax_node};

}  // namespace hone::c_code
