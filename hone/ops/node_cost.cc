#include "hone/ops/node_cost.h"

#include "hone/ops/control/body_cost.h"
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

// What is read and computed inside of the bodies takes the place of what the node takes in, which
// only they read.
void count_bodies(const Node& node, NodeCost& cost) {
  const NodeCost inside = body_cost(node);
  cost.macs = inside.macs;
  cost.flops = inside.flops;
  cost.weight_bytes = inside.weight_bytes;
  cost.read_bytes = inside.read_bytes;
  cost.written_bytes += inside.written_bytes;
  cost.stored_bytes += body_weight_bytes(node);
  cost.body_live_bytes = inside.body_live_bytes;
  cost.known = cost.known && inside.known;
}

void count_weights(const Graph& graph, uint64_t& bytes) {
  for (const Value* value : graph.constants()) {
    if (is_weight(*value)) bytes += value->constant->bytes().size();
  }
  for (const Node* node : graph.nodes()) bytes += body_weight_bytes(*node);
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
  cost.stored_bytes = cost.weight_bytes;
  count_work(node, cost);
  if (!bodies_of(node).empty()) count_bodies(node, cost);
  return cost;
}

uint64_t body_weight_bytes(const Node& node) {
  uint64_t bytes = 0;
  for (const Graph* body : bodies_of(node)) count_weights(*body, bytes);
  return bytes;
}

}  // namespace hone
