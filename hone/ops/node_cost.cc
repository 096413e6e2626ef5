#include "hone/ops/node_cost.h"

#include "hone/ops/infer_types.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

void count_work(const Node& node, NodeCost& cost) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr || op->cost == nullptr) return;
  std::vector<const ValueType*> types;
  for (const Value* value : node.inputs) types.push_back(value ? &value->type : nullptr);
  if (!check_node(*op, node, types).ok()) return;
  const Cost work = op->cost(static_context(*op, node));
  cost.macs = work.macs;
  cost.flops = 2 * work.macs + work.flops;
}

uint64_t bytes_of(const Value& value, NodeCost& cost) {
  const TensorType& type = value.type.tensor;
  if (value.type.is_tensor() && type.known()) return type.bytes();
  cost.known = false;
  return 0;
}

}  // namespace

bool is_weight(const Value& value) {
  if (!value.constant) return false;
  const DType dtype = value.type.tensor.dtype;
  return dtype != DType::I64 && dtype != DType::Bool && dtype != DType::String;
}

NodeCost node_cost(const Node& node) {
  NodeCost cost;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (is_weight(*input)) {
      cost.weight_bytes += input->constant->bytes().size();
    } else if (!input->constant) {
      cost.read_bytes += bytes_of(*input, cost);
    }
  }
  for (const Value* output : node.outputs) cost.written_bytes += bytes_of(*output, cost);
  count_work(node, cost);
  return cost;
}

}  // namespace hone
