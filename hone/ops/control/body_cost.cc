#include "hone/ops/control/body_cost.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "hone/ops/common.h"
#include "hone/ops/infer_types.h"

namespace hone {
namespace {

// A count that is too large to hold is the largest one.
template <class T>
T times(T a, T b) {
  T product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<T>::max() : product;
}
template <class T>
T plus(T a, T b) {
  T sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<T>::max() : sum;
}

NodeCost sum(NodeCost a, const NodeCost& b) {
  a.macs = plus(a.macs, b.macs);
  a.flops = plus(a.flops, b.flops);
  a.weight_bytes = plus(a.weight_bytes, b.weight_bytes);
  a.read_bytes = plus(a.read_bytes, b.read_bytes);
  a.written_bytes = plus(a.written_bytes, b.written_bytes);
  a.known = a.known && b.known;
  return a;
}

NodeCost repeated(NodeCost cost, int64_t count) {
  const auto unsigned_count = static_cast<uint64_t>(count);
  cost.macs = times(cost.macs, count);
  cost.flops = times(cost.flops, count);
  cost.weight_bytes = times(cost.weight_bytes, unsigned_count);
  cost.read_bytes = times(cost.read_bytes, unsigned_count);
  cost.written_bytes = times(cost.written_bytes, unsigned_count);
  return cost;
}

uint64_t bytes_of(const Value& value) {
  const TensorType& type = value.type.tensor;
  return !value.constant && value.type.is_tensor() && type.known() ? type.bytes() : 0;
}

// The most that lives at a time of what the nodes of a graph make, each value from its node to the
// last that reads it. `costs` are those of the nodes, in order.
uint64_t live_bytes(const Graph& graph, const std::vector<NodeCost>& costs) {
  std::unordered_map<const Value*, size_t> reads;
  for (const Node* node : graph.nodes()) {
    for (const Value* output : node->outputs) {
      reads[output] = output->users.size() + (graph.is_output(output) ? 1 : 0);
    }
  }
  uint64_t live = 0, most = 0;
  size_t index = 0;
  for (const Node* node : graph.nodes()) {
    for (const Value* output : node->outputs) live = plus(live, bytes_of(*output));
    most = std::max(most, plus(live, costs[index++].body_live_bytes));
    const auto end = [&](const Value* value) { live -= std::min(live, bytes_of(*value)); };
    for (const Value* output : node->outputs) {
      if (reads[output] == 0) end(output);
    }
    for (const Value* input : node->inputs) {
      const auto found = reads.find(input);
      if (found != reads.end() && --found->second == 0) end(input);
    }
  }
  return most;
}

// A body whose inputs have these types; those that are constants around it are constants in it.
// Null where it cannot be typed.
struct Given {
  ValueType type = TensorType::unranked(DType::Undefined);
  const Tensor* constant = nullptr;
};
std::unique_ptr<Graph> typed(const Graph& body, const std::vector<Given>& given) {
  std::unique_ptr<Graph> copy = body.clone();
  for (size_t i = 0; i < given.size() && i < copy->inputs().size(); ++i) {
    Value* input = copy->inputs()[i];
    input->type = given[i].type;
    if (given[i].constant == nullptr) continue;
    copy->replace_uses(input, copy->add_constant(input->name, *given[i].constant));
  }
  return infer_types(*copy).ok() ? std::move(copy) : nullptr;
}

NodeCost cost_of(const Graph* body) {
  NodeCost cost;
  if (body == nullptr) {
    cost.known = false;
    return cost;
  }
  std::vector<NodeCost> costs;
  for (const Node* node : body->nodes()) {
    costs.push_back(node_cost(*node));
    cost = sum(cost, costs.back());
  }
  cost.body_live_bytes = live_bytes(*body, costs);
  return cost;
}

std::vector<Given> given_from(const Node& node, size_t first) {
  std::vector<Given> given;
  for (size_t i = first; i < node.inputs.size(); ++i) {
    const Value* value = node.inputs[i];
    given.emplace_back();
    if (value == nullptr) continue;
    given.back() = {value->type, value->constant ? &*value->constant : nullptr};
  }
  return given;
}

// The dearer branch: more arithmetic, or as much and more bytes.
NodeCost if_cost(const Node& node) {
  NodeCost dearest;
  bool known = true;
  uint64_t live = 0;
  for (const Graph* body : bodies_of(node)) {
    const NodeCost cost = cost_of(typed(*body, given_from(node, 1)).get());
    known = known && cost.known;
    live = std::max(live, cost.body_live_bytes);
    if (std::pair(cost.flops, cost.bytes()) > std::pair(dearest.flops, dearest.bytes())) {
      dearest = cost;
    }
  }
  dearest.known = known;
  dearest.body_live_bytes = live;
  return dearest;
}

NodeCost iterated(NodeCost cost, std::optional<int64_t> count) {
  if (count) return repeated(cost, std::max<int64_t>(0, *count));
  cost.known = false;
  return cost;
}

// States are known only where an iteration leaves them as they are, which the node's outputs tell.
std::vector<Given> states_that_stay(const Node& node, std::vector<Given> given, size_t states) {
  for (size_t i = 0; i < states && i < given.size(); ++i) {
    given[i].constant = nullptr;
    if (i >= node.outputs.size() || node.outputs[i]->type != given[i].type) {
      given[i].type.tensor = TensorType::unranked(given[i].type.tensor.dtype);
    }
  }
  return given;
}

size_t captures_of(const Node& node) {
  const auto* captures = node.find_attr<int64_t>("captures");
  const auto most = static_cast<int64_t>(node.inputs.size());
  return captures == nullptr ? 0 : static_cast<size_t>(std::clamp<int64_t>(*captures, 0, most));
}

NodeCost loop_cost(const Node& node, const Graph& body) {
  constexpr size_t kFirstState = 2;
  if (node.inputs.size() < kFirstState + captures_of(node)) return cost_of(nullptr);
  const size_t states = node.inputs.size() - kFirstState - captures_of(node);
  std::vector<Given> given = states_that_stay(node, given_from(node, kFirstState), states);
  const Given counter{ValueType(DType::I64, {})}, condition{ValueType(DType::Bool, {})};
  given.insert(given.begin(), {counter, condition});
  std::optional<int64_t> trips;
  const Value* count = node.inputs[0];
  if (count != nullptr && count->constant && count->constant->dtype() == DType::I64 &&
      count->constant->elements() == 1) {
    trips = count->constant->data<int64_t>()[0];
  }
  return iterated(cost_of(typed(body, given).get()), trips);
}

NodeCost scan_cost(const Node& node, const Graph& body) {
  const auto* scans = node.find_attr<int64_t>("num_scan_inputs");
  const size_t own = node.inputs.size() - captures_of(node);
  if (scans == nullptr || *scans < 1 || static_cast<size_t>(*scans) > own) return cost_of(nullptr);
  const size_t states = own - static_cast<size_t>(*scans);
  std::vector<Given> given = states_that_stay(node, given_from(node, 0), states);
  const auto* axes = node.find_attr<Ints>("scan_input_axes");
  std::optional<int64_t> count;
  for (size_t i = states; i < own; ++i) {
    TensorType& type = given[i].type.tensor;
    given[i].constant = nullptr;
    const int64_t axis = axes == nullptr || axes->size() <= i - states ? 0 : (*axes)[i - states];
    const auto at = resolve_axis(axis, type.rank());
    if (!type.ranked || !at.ok()) return cost_of(nullptr);
    if (type.shape[*at] != kUnknown) count = type.shape[*at];
    type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(*at));
  }
  return iterated(cost_of(typed(body, given).get()), count);
}

}  // namespace

std::vector<const Graph*> bodies_of(const Node& node) {
  std::vector<const Graph*> bodies;
  for (const auto& [name, attr] : node.attrs) {
    const auto* body = std::get_if<std::shared_ptr<Graph>>(&attr);
    if (body != nullptr && *body != nullptr) bodies.push_back(body->get());
  }
  return bodies;
}

NodeCost body_cost(const Node& node) {
  const std::vector<const Graph*> bodies = bodies_of(node);
  if (node.op == "if") return if_cost(node);
  if (node.op == "loop") return loop_cost(node, *bodies[0]);
  if (node.op == "scan") return scan_cost(node, *bodies[0]);
  // Of a sequence, whose length a run tells: once, as the file has it.
  NodeCost cost;
  for (const Graph* body : bodies) cost = sum(cost, cost_of(body));
  cost.known = false;
  return cost;
}

}  // namespace hone
