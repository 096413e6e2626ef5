// Weights that are integers only in the file become floats once, rather than in every run:
//
//   %w = dequantize_linear(i8[8,4]{...}, s, 0)
//   %y = gemm(%x, %w)                             =>   %y = gemm(%x, f32[8,4]{...})
//
// So do those that constant_of_shape fills, and those that are transposed or reshaped on their way.
// After fuse_qdq, which takes those that can be computed with.

#include <algorithm>
#include <set>

#include "hone/ops/interpreter.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kExpandWeightsPass = "expand_weights";

std::optional<Tensor> floats_of(const Node& node) {
  std::vector<Item> items;
  for (const Value* input : node.inputs) {
    if (input != nullptr && !input->constant) return std::nullopt;
    items.push_back(input == nullptr ? Item() : Item(*input->constant));
  }
  std::vector<const Item*> inputs;
  for (size_t i = 0; i < items.size(); ++i) {
    inputs.push_back(node.inputs[i] == nullptr ? nullptr : &items[i]);
  }
  auto outputs = run_node(node, inputs, {});
  if (!outputs.ok() || !(*outputs)[0].is_tensor()) return std::nullopt;
  return std::move((*outputs)[0].tensor);
}

// Weights of one number, which a file may state by their shape alone.
bool is_filled_weight(const Node& node) {
  return node.op == "constant_of_shape" &&
         std::ranges::any_of(node.outputs[0]->users, [](const Use& use) {
           return use.input == 1 && kind_of(*use.node) == OpKind::Product;
         });
}

int run_expand_weights(Graph& graph) {
  int expanded = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "dequantize_linear" && !is_filled_weight(*node)) continue;
    if (graph.is_output(node->outputs[0])) continue;
    std::optional<Tensor> floats = floats_of(*node);
    if (!floats) continue;
    const std::string name = node->inputs[0]->name + ".float";
    graph.replace_uses(node->outputs[0], graph.add_constant(name, *std::move(floats)));
    graph.erase(node, kExpandWeightsPass);
    ++expanded;
  }
  if (expanded == 0) return 0;
  // What weights go through on their way to an operator follows from constants now.
  run_pass(graph, "fold_constants");
  run_pass(graph, "remove_dead");
  graph.remove_unused_constants();
  return expanded;
}

}  // namespace

extern const PassDef pass_expand_weights = {
    .name = kExpandWeightsPass,
    .summary = "Makes floats of weights that are stored as integers but computed with as floats.",
    .stage = PassStage::Engine,
    .run = run_expand_weights,
};

}  // namespace hone
