#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kConcatOps[] = {"concat"};

// Of channels: its inputs are written where they belong.
bool takes(const Node& node) {
  if (!is_byte(*node.outputs[0])) return false;
  const NodeContext context(*find_op(node.op), node);
  const TensorType& to = node.outputs[0]->type.tensor;
  const int64_t axis = context.integer("axis");
  const auto rank = std::ssize(to.shape);
  if (axis != -1 && axis != rank - 1) return false;
  return std::ranges::all_of(node.inputs, [&](const Value* input) {
    return is_byte(*input) && !input->constant && input->type.tensor.dtype == to.dtype &&
           same_quantization(input->type.tensor, to);
  });
}

}  // namespace

// What is not written in place is copied there (storage.cc).
extern const OperationDef operation_concat = {
    .ops = kConcatOps, .vector = &sim::vector_op_copy, .takes = takes};

}  // namespace hone::npu
