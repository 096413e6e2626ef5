#include <cstring>

#include "hone/ops/op_def.h"
#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/targets/npu/operations/vector_layer.h"
#include "hone/tensor/fixed_functions.h"

namespace hone::npu {
namespace {

constexpr std::string_view kSoftmaxOps[] = {"softmax"};

std::optional<Layer> make_softmax(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || type_of(&x).dtype != type_of(&y).dtype) {
    return std::nullopt;
  }
  const NodeContext context(*find_op(node.op), node);
  const int64_t axis = context.integer("axis");
  const auto rank = std::ssize(type_of(&x).shape);
  if (axis != -1 && axis != rank - 1) return std::nullopt;
  constexpr int kSumBits = 12;
  std::vector<int32_t> tables(512);  // Exponentials, then terms of the sum.
  const DifferenceScaling scaling =
      difference_scaling(type_of(&x).quant->scale(), options.rounding);
  for (int32_t below = 0; below < 256; ++below) {
    if (-below < scaling.lowest) continue;
    const int32_t scaled = scale_by(-below, scaling.factor, options.rounding);
    const int32_t exponential = fixed_exp_of_negative(scaled, kDifferenceBits);
    tables[static_cast<size_t>(below)] = exponential;
    tables[static_cast<size_t>(256 + below)] = fixed_times_pot(exponential, -kSumBits);
  }
  Layer layer = alike_layer(
      node, command_of(sim::vector_op_softmax, node, options, range_of(type_of(&y).dtype)));
  layer.constants.resize(tables.size() * sizeof(int32_t));
  std::memcpy(layer.constants.data(), tables.data(), layer.constants.size());
  return layer;
}

}  // namespace

extern const OperationDef operation_softmax = {
    .ops = kSoftmaxOps, .layer = make_softmax, .vector = &sim::vector_op_softmax};

}  // namespace hone::npu
