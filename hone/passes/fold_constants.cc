// Replaces values that follow from constants and static shapes by constants.
//
//   %s = shape(%x: f32[1,3,8,8])
//   %n = gather(%s, 0)                =>   %y = reshape(%x, i64[2]{1 -1})
//   %r = concat(%n, -1)
//   %y = reshape(%x, %r)
//
// Small values as infer_types finds them, and larger ones that are at most twice the bytes they are
// made from, as weights that a file holds transposed, cast or split, or of up to 128 KiB, as the
// grids of a detector's cells. The folded nodes are left for remove_dead. Leaves weights alone that
// are quantized until they are used.

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr uint64_t kLargestGrid = uint64_t{128} << 10;

int fold_small(Graph& graph, const InferredTypes& inferred) {
  int folded = 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "dequantize_linear") continue;
    for (Value* output : node->outputs) {
      const auto known = inferred.known.find(output);
      const bool read = !output->users.empty() || graph.is_output(output);
      if (known == inferred.known.end() || !read) continue;
      // The interface of the graph stays: an output must be made by a node.
      if (graph.is_output(output)) continue;
      graph.replace_uses(output, graph.add_constant(output->name + ".folded", known->second));
      ++folded;
    }
  }
  return folded;
}

bool is_read(const Graph& graph, const Node& node) {
  bool read = false;
  for (const Value* output : node.outputs) {
    if (graph.is_output(output)) return false;
    read = read || !output->users.empty();
  }
  return read;
}

// All inputs are constants, and the outputs are no burden in their place.
bool foldable(const Graph& graph, const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr || op->eval == nullptr || op->random || !is_read(graph, node)) return false;
  if (node.op == "dequantize_linear" || node.op == "requantize") return false;
  uint64_t in = 0;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (!input->constant || input->type.tensor.dtype == DType::String) return false;
    in += input->type.tensor.bytes();
  }
  uint64_t out = 0;
  for (const Value* output : node.outputs) {
    const TensorType& type = output->type.tensor;
    if (!output->type.is_tensor() || !type.known() || type.quantized()) return false;
    out += type.bytes();
  }
  for (const auto& [key, attr] : node.attrs) {
    if (std::holds_alternative<std::shared_ptr<Graph>>(attr)) return false;
  }
  return in > 0 && (out <= 2 * in || out <= kLargestGrid);
}

bool fold_large(Graph& graph, Node& node) {
  std::vector<Item> items(node.inputs.size());
  std::vector<const Item*> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i] == nullptr) continue;
    items[i] = *node.inputs[i]->constant;
    inputs[i] = &items[i];
  }
  auto outputs = run_node(node, inputs, {});
  if (!outputs.ok()) return false;  // Will be reported when it runs.
  for (size_t i = 0; i < outputs->size(); ++i) {
    Value* output = node.outputs[i];
    graph.replace_uses(
        output, graph.add_constant(output->name + ".folded", std::move((*outputs)[i].tensor)));
  }
  return true;
}

int run_fold_constants(Graph& graph) {
  auto inferred = infer_types(graph);
  if (!inferred.ok()) return 0;  // What contradicts itself is left alone.
  int folded = fold_small(graph, *inferred);
  for (Node* node : graph.nodes()) {
    if (foldable(graph, *node) && fold_large(graph, *node)) ++folded;
  }
  return folded;
}

}  // namespace

extern const PassDef pass_fold_constants = {
    .name = "fold_constants",
    .summary = "Computes ahead what follows from constants and static shapes.",
    .run = run_fold_constants,
};

}  // namespace hone
