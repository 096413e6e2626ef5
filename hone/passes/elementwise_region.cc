#include "hone/passes/elementwise_region.h"

#include <algorithm>
#include <set>

#include "hone/passes/match.h"

namespace hone {

namespace {

bool is_float_function(const Node& node) {
  return is_elementwise(kind_of(node)) && node.outputs.size() == 1 && makes_floats(node);
}

bool is_number_constant(const Value& value) {
  return value.constant && value.constant->elements() == 1;
}

// Nodes from which `result` is computed, as far back as a function of one variable may reach.
class Grower {
 public:
  Grower(const Graph& graph, const Value* result) : graph_(graph), shape_(result->type.tensor) {}

  void take(Node* node) {
    nodes_.insert(node);
    for (Value* input : node->inputs) {
      if (input != nullptr && !input->constant) frontier_.insert(input);
    }
  }

  // Takes nodes in while everything that reads them is in.
  void grow() {
    for (bool grown = true; grown;) {
      grown = false;
      for (Value* value : std::vector<Value*>(frontier_.begin(), frontier_.end())) {
        if (!belongs(*value)) continue;
        frontier_.erase(value);
        take(value->producer);
        grown = true;
      }
    }
  }

  Value* only_source() const {
    if (frontier_.size() != 1) return nullptr;
    Value* source = *frontier_.begin();
    const bool same = source->type.is_tensor() && source->type.tensor.dtype == DType::F32 &&
                      source->type.tensor.shape == shape_.shape;
    return same && constants_fit() ? source : nullptr;
  }

  const std::set<Node*>& nodes() const { return nodes_; }

 private:
  bool belongs(const Value& value) const {
    const Node* node = value.producer;
    if (node == nullptr || graph_.is_output(&value) || !is_float_function(*node)) return false;
    if (is_fused_clamp(graph_, *node) || value.type.tensor.shape != shape_.shape) return false;
    return std::ranges::all_of(value.users,
                               [&](const Use& use) { return nodes_.contains(use.node); });
  }

  bool constants_fit() const {
    return std::ranges::all_of(nodes_, [](const Node* node) {
      return std::ranges::all_of(node->inputs, [](const Value* input) {
        return input == nullptr || !input->constant || is_number_constant(*input);
      });
    });
  }

  const Graph& graph_;
  const TensorType shape_;
  std::set<Node*> nodes_;
  std::set<Value*> frontier_;
};

std::vector<Node*> in_order(const Graph& graph, const std::set<Node*>& nodes) {
  std::vector<Node*> ordered;
  for (Node* node : graph.nodes()) {
    if (nodes.contains(node)) ordered.push_back(node);
  }
  return ordered;
}

}  // namespace

bool is_fused_clamp(const Graph& graph, const Node& node) {
  if (node.op != "relu" && node.op != "clip") return false;
  const Value* x = node.inputs[0];
  if (x->producer == nullptr || !read_once(graph, *x)) return false;
  const Node& before = *x->producer;
  const IntegerForm form = integer_form(before);
  return form == IntegerForm::Weights ||
         (form == IntegerForm::Scaled && !before.inputs[0]->constant &&
          !before.inputs[1]->constant);
}

std::optional<ElementwiseRegion> region_ending_in(const Graph& graph, Value* result) {
  Node* last = result->producer;
  if (last == nullptr || !is_float_function(*last) || is_fused_clamp(graph, *last)) return {};
  Grower whole(graph, result);
  whole.take(last);
  whole.grow();
  if (Value* source = whole.only_source()) {
    return ElementwiseRegion{source, result, in_order(graph, whole.nodes())};
  }
  Grower single(graph, result);
  single.take(last);
  if (Value* source = single.only_source()) return ElementwiseRegion{source, result, {last}};
  return {};
}

}  // namespace hone
