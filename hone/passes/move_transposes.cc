// Moves transposes towards the outputs, through operators that any order of axes suits, until they
// meet their inverse.
//
//   %a = transpose(%x) perm=[0,3,1,2]
//   %b = add(%a, f32[3,1,1]{1 2 3})        =>     %b = add(%x, f32[1,1,1,3]{1 2 3})
//   %c = transpose(%b) perm=[0,2,3,1]
//
// A node takes a transpose from all its inputs or not at all: another operand must be a constant,
// be transposed the same way, or have no more than extents of 1 to move. Two transposes in a row
// become one or none, and what only moves extents of 1 in the end becomes a reshape.

#include <algorithm>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/transpose_rules.h"
#include "hone/passes/transposes.h"

namespace hone {
namespace {

constexpr std::string_view kMoveTransposesPass = "move_transposes";

Node* transpose_of(const Value* value) {
  Node* node = made_by(value, "transpose");
  return node != nullptr && node->inputs[0]->type.tensor.ranked ? node : nullptr;
}

// What a node reads in place of an operand when the transpose goes behind it.
struct MovedOperand {
  Value* value = nullptr;          // As it is, or before its transpose.
  std::optional<Tensor> constant;  // Transposed ahead of time.
  std::optional<Shape> shape;      // `value` reshaped to it.
};

// The shape with ones in front, as broadcasting sees it.
Shape of_rank(const Shape& shape, size_t rank) {
  Shape result(rank - shape.size(), 1);
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

std::optional<MovedOperand> operand_without(Value* value, const Ints& perm) {
  if (value == nullptr) return MovedOperand{};
  if (const Node* transpose = transpose_of(value)) {
    if (perm_of(*transpose) == perm) return MovedOperand{transpose->inputs[0], {}, {}};
  }
  const TensorType& type = value->type.tensor;
  if (!type.known() || type.shape.size() > perm.size()) return {};
  if (type.elements() == 1) return MovedOperand{value, {}, {}};
  if (type.quantized() && !type.quant->per_tensor()) return {};
  const Shape full = of_rank(type.shape, perm.size());
  if (value->constant) {
    return MovedOperand{value, transposed(value->constant->reshaped(full), inverse(perm)), {}};
  }
  if (!moves_only_ones(full, inverse(perm))) return {};
  return MovedOperand{value, {}, permuted(full, inverse(perm))};
}

struct Move {
  Ints perm;
  std::vector<MovedOperand> operands;  // Of the first inputs.
  Sinking sinking;
};

// The order of the first operand that is transposed.
std::optional<Ints> perm_before(const Node& node, bool all_inputs) {
  const size_t count = all_inputs ? node.inputs.size() : 1;
  for (size_t i = 0; i < std::min(count, node.inputs.size()); ++i) {
    if (const Node* transpose = transpose_of(node.inputs[i])) return perm_of(*transpose);
  }
  return {};
}

std::optional<Move> plan_move(const Node& node) {
  const SinkRule* rule = find_sink_rule(node);
  if (rule == nullptr) return {};
  const auto perm = perm_before(node, rule->all_inputs);
  if (!perm) return {};
  Move move{*perm, {}, Sinking{*perm}};
  const size_t count = rule->all_inputs ? node.inputs.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    auto operand = operand_without(node.inputs[i], *perm);
    if (!operand) return {};
    move.operands.push_back(*std::move(operand));
  }
  if (rule->plan != nullptr) {
    auto sinking = rule->plan(node, *perm);
    if (!sinking) return {};
    move.sinking = *std::move(sinking);
  }
  const bool fits = std::ranges::all_of(node.outputs, [&](const Value* output) {
    const TensorType& type = output->type.tensor;
    return output->type.is_tensor() && type.ranked && type.shape.size() == move.sinking.perm.size();
  });
  return fits ? std::optional(std::move(move)) : std::nullopt;
}

void read_instead(Graph& graph, Node& node, size_t input, MovedOperand operand) {
  Value* value = operand.value;
  if (operand.constant) {
    value = graph.add_constant(value->name + ".moved", *std::move(operand.constant));
  } else if (operand.shape) {
    Value* shape = graph.add_constant(value->name + ".shape", Tensor::of_ints(*operand.shape));
    TensorType type = value->type.tensor;
    type.shape = *operand.shape;
    Node* reshape = graph.add_node("reshape", {value, shape}, {type}, reshape_attrs(type.shape),
                                   node.name, &node);
    graph.set_origins(reshape, node.origins);
    value = reshape->outputs[0];
  }
  graph.set_input(&node, input, value);
}

// A transpose of the user's own stays on the books with the one that takes its place.
void inherit_user(Graph& graph, Node* heir, const Node& transpose) {
  const Node* source = transpose.inputs[0]->producer;
  const bool artifact =
      source != nullptr && std::ranges::includes(source->origins, transpose.origins);
  if (!artifact) graph.inherit_origins(heir, transpose);
}

void move_behind(Graph& graph, Node& node, Move move) {
  std::vector<Node*> transposes;
  for (size_t i = 0; i < move.operands.size(); ++i) {
    if (node.inputs[i] == nullptr || node.inputs[i] == move.operands[i].value) {
      if (!move.operands[i].constant && !move.operands[i].shape) continue;
    } else if (std::ranges::count(transposes, node.inputs[i]->producer) == 0) {
      transposes.push_back(node.inputs[i]->producer);
    }
    read_instead(graph, node, i, std::move(move.operands[i]));
  }
  for (auto& [input, tensor] : move.sinking.constants) {
    set_constant(graph, node, input, str(node.name, ".input_", input), std::move(tensor));
  }
  for (auto& [key, value] : move.sinking.attrs) node.attrs.insert_or_assign(key, std::move(value));
  Node* heir = &node;
  for (size_t i = 0; i < node.outputs.size() && !is_identity(move.sinking.perm); ++i) {
    heir = transpose_after(graph, node, i, move.sinking.perm);
  }
  for (Node* transpose : transposes) {
    inherit_user(graph, heir, *transpose);
    erase_behind(graph, transpose, kMoveTransposesPass);
  }
}

// transpose(transpose(x)) reads x directly.
bool merge_transposes(Graph& graph, Node& second) {
  Node* first = transpose_of(second.inputs[0]);
  if (first == nullptr) return false;
  second.attrs["perm"] = compose(perm_of(*first), perm_of(second));
  graph.set_input(&second, 0, first->inputs[0]);
  inherit_user(graph, &second, *first);
  erase_behind(graph, first, kMoveTransposesPass);
  return true;
}

// A transpose that changes nothing. An output of the graph must be made by a node, under its name.
bool remove_transpose(Graph& graph, Node& transpose) {
  if (!is_identity(perm_of(transpose))) return false;
  Value* from = transpose.outputs[0];
  Value* to = transpose.inputs[0];
  if (!graph.is_output(from)) {
    graph.replace_uses(from, to);
    graph.erase(&transpose, kMoveTransposesPass);
    return true;
  }
  if (to->producer == nullptr || graph.is_output(to)) return false;
  const std::string name = from->name;
  graph.replace_uses(from, to);
  graph.erase(&transpose, kMoveTransposesPass);
  graph.rename(to, name);
  return true;
}

bool fold(Graph& graph, Node& transpose) {
  const Value* input = transpose.inputs[0];
  if (!input->constant || graph.is_output(transpose.outputs[0])) return false;
  Value* folded = graph.add_constant(transpose.outputs[0]->name + ".folded",
                                     transposed(*input->constant, perm_of(transpose)));
  graph.replace_uses(transpose.outputs[0], folded);
  graph.erase(&transpose, kMoveTransposesPass);
  return true;
}

bool change(Graph& graph, Node& node) {
  if (node.op == "transpose") {
    if (!node.inputs[0]->type.tensor.ranked) return false;
    return merge_transposes(graph, node) || remove_transpose(graph, node) || fold(graph, node);
  }
  auto move = plan_move(node);
  if (!move) return false;
  move_behind(graph, node, *std::move(move));
  return true;
}

void make_reshape(Graph& graph, Node& transpose) {
  const Shape& shape = transpose.outputs[0]->type.tensor.shape;
  transpose.op = "reshape";
  transpose.attrs = reshape_attrs(shape);
  graph.add_input_to(&transpose, graph.add_constant(transpose.outputs[0]->name + ".shape",
                                                    Tensor::of_ints(shape)));
}

int run_move_transposes(Graph& graph) {
  int changes = 0;
  for (bool changed = true; changed;) {
    changed = false;
    // A change erases only nodes before the one it is about.
    for (Node* node : graph.nodes()) {
      if (!change(graph, *node)) continue;
      changed = true;
      ++changes;
    }
  }
  for (Node* node : graph.nodes()) {
    if (node->op != "transpose" || !node->inputs[0]->type.tensor.known()) continue;
    if (!moves_only_ones(node->inputs[0]->type.tensor.shape, perm_of(*node))) continue;
    make_reshape(graph, *node);
    ++changes;
  }
  graph.remove_unused_constants();
  return changes;
}

}  // namespace

extern const PassDef pass_move_transposes = {
    .name = kMoveTransposesPass,
    .summary = "Moves transposes behind other operators until they cancel.",
    .stage = PassStage::Engine,
    .run = run_move_transposes,
};

}  // namespace hone
