#include "hone/passes/half_precision.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "hone/ops/elementwise/cast.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

bool is_single(const Value* value) {
  return value != nullptr && value->type.is_tensor() && value->type.tensor.dtype == DType::F32;
}

// The factors of a resize stay in float32, as half precision would change the extents; so do the
// statistics of a batch norm, which may be beyond it.
bool is_factor(const Node& node, size_t input) {
  return (node.op == "resize" || node.op == "batch_norm") && input > 0;
}

// Squares and sums of many elements leave the range of halves.
bool sums_squares(const Node& node) {
  return node.op == "layer_norm" || node.op == "rms_norm";
}

// What only moves elements does not mind their type.
bool does_halves(const Node& node, bool wide_sums) {
  const OpDef* op = find_op(node.op);
  if (wide_sums && sums_squares(node)) return node.outputs.size() == 1;
  return op != nullptr && (op->half || op->kind == OpKind::Movement || op->kind == OpKind::View);
}

// Of a batch norm in training, which are as its parameters are.
bool makes_statistics(const Node& node) {
  return node.op == "batch_norm" && node.outputs.size() > 1;
}

bool takes_half(const Node& node, bool wide_sums) {
  if (!does_halves(node, wide_sums) || !is_single(node.outputs[0]) || makes_statistics(node))
    return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (input == nullptr) continue;
    // A hybrid operator needs its activations in float32.
    if (input->type.tensor.quantized()) return false;
    if (is_factor(node, i) && !input->constant) return false;
  }
  return true;
}

class HalfPrecision {
 public:
  HalfPrecision(Graph& graph, bool wide_sums, DType type) : graph_(graph), type_(type) {
    for (Node* node : graph.nodes()) {
      if (takes_half(*node, wide_sums)) chosen_.insert(node);
    }
  }

  int run() {
    for (Node* node : graph_.nodes()) {
      if (chosen_.contains(node)) take_halves(*node);
    }
    for (Node* node : graph_.nodes()) {
      if (chosen_.contains(node)) give_halves(*node);
    }
    graph_.remove_unused_constants();
    return static_cast<int>(chosen_.size());
  }

 private:
  void take_halves(Node& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      Value* input = node.inputs[i];
      if (is_factor(node, i)) continue;
      if (!is_single(input) || (input->producer != nullptr && chosen_.contains(input->producer))) {
        continue;
      }
      graph_.set_input(&node, i, half_of(input, &node));
    }
  }

  // The value in half precision, made before `before` the first time it is asked for.
  Value* half_of(Value* value, Node* before) {
    const auto found = halves_.find(value);
    if (found != halves_.end()) return found->second;
    Value* half = nullptr;
    if (value->constant) {
      auto narrow = cast_to(*value->constant, type_, true);
      HONE_CHECK(narrow.ok(), "cast of floats to 16 bits cannot fail");
      half = graph_.add_constant(str(value->name, ".", type_), *std::move(narrow));
    } else {
      half = cast(value, type_, before);
    }
    return halves_[value] = half;
  }

  Value* cast(Value* value, DType to, Node* before) {
    TensorType type = value->type.tensor;
    type.dtype = to;
    Node* node = graph_.add_node("cast", {value}, {ValueType(type)}, {{"to", to}},
                                 value->name + ".cast", before);
    if (value->producer != nullptr) graph_.inherit_origins(node, *value->producer);
    return node->outputs[0];
  }

  // The outputs are halves now; whoever wants singles gets them cast back.
  void give_halves(Node& node) {
    for (Value* output : node.outputs) {
      if (!is_single(output)) continue;
      std::vector<Use> singles;
      for (const Use& use : output->users) {
        if (!chosen_.contains(use.node)) singles.push_back(use);
      }
      output->type.tensor.dtype = type_;
      if (singles.empty() && !graph_.is_output(output)) continue;
      const std::string name = output->name;
      Value* single = cast(output, DType::F32, graph_.next(node));
      for (const Use& use : singles) graph_.set_input(use.node, use.input, single);
      for (size_t i = 0; i < graph_.outputs().size(); ++i) {
        if (graph_.outputs()[i] != output) continue;
        graph_.set_output(i, single);
        graph_.rename(output, str(name, ".", type_));
        graph_.rename(single, name);
      }
    }
  }

  Graph& graph_;
  DType type_;
  std::unordered_set<const Node*> chosen_;
  std::unordered_map<const Value*, Value*> halves_;
};

}  // namespace

int use_half_precision(Graph& graph, bool wide_sums, DType type) {
  return HalfPrecision(graph, wide_sums, type).run();
}

}  // namespace hone
