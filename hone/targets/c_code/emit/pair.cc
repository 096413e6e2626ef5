// Sums, differences and products of two tensors.

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

// The second operand is as large as the result, or one constant.
Result<bool> is_one_constant(const Node& node) {
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const Value* b = node.inputs[1];
  if (node.inputs[0]->type.tensor.shape != y || node.inputs[0]->constant) {
    return unsupported("a first operand that is repeated");
  }
  if (b->type.tensor.shape == y && !b->constant) return false;
  if (b->constant && b->constant->elements() == 1) return true;
  return unsupported("a second operand that is repeated");
}

Step pair_step(const Node& node, bool one) {
  Step step{.source = "pair"};
  step.reads = {node.inputs[0]};
  if (!one) step.reads.push_back(node.inputs[1]);
  if (one) {
    const auto values = node.inputs[1]->constant->data<int8_t>();
    step.arrays.push_back(array_of(std::vector<int8_t>(values.begin(), values.end())));
  }
  step.write = node.outputs[0];
  return step;
}

Result<Step> emit_sum_node(const Node& node, const CompileOptions&) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 2));
  HONE_TRY(const bool one, is_one_constant(node));
  const TensorType& y = node.outputs[0]->type.tensor;
  HONE_TRY(const SumFactors factors, sum_factors(node.inputs[0]->type.tensor,
                                                 node.inputs[1]->type.tensor, y, node.op == "sub"));
  HONE_TRY(const IntRange range, output_range(node));
  Step step = pair_step(node, one);
  step.calls = {{"hone_sum",
                 {str(y.elements()), node.op == "sub" ? "-1" : "1", one ? "1" : "0",
                  str(sum_headroom(DType::I8)), operand_text(zero_of(node.inputs[0]), factors.a),
                  operand_text(zero_of(node.inputs[1]), factors.b),
                  operand_text(y.quant->zero_point(), factors.y), str(range.low), str(range.high),
                  "x0", one ? "c0" : "x1", "y"}}};
  return step;
}

Result<Step> emit_product_node(const Node& node, const CompileOptions&) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 2));
  HONE_TRY(const bool one, is_one_constant(node));
  const TensorType& y = node.outputs[0]->type.tensor;
  HONE_TRY(const IntRange range, output_range(node));
  const FixedPoint factor =
      product_factor(node.inputs[0]->type.tensor, node.inputs[1]->type.tensor, y);
  Step step = pair_step(node, one);
  step.calls = {{"hone_multiply",
                 {str(y.elements()), one ? "1" : "0", str(zero_of(node.inputs[0])),
                  str(zero_of(node.inputs[1])), operand_text(y.quant->zero_point(), factor),
                  str(range.low), str(range.high), "x0", one ? "c0" : "x1", "y"}}};
  return step;
}

}  // namespace

extern const EmitterDef emit_add = {.op = "add", .emit = emit_sum_node};
extern const EmitterDef emit_sub = {.op = "sub", .emit = emit_sum_node};
extern const EmitterDef emit_mul = {.op = "mul", .emit = emit_product_node};

}  // namespace hone::c_code
