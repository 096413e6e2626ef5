#include "hone/quantize/dequantize.h"

#include <algorithm>

#include "hone/model/onnx_lower.h"
#include "hone/ops/infer_types.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kPass = "dequantize";

// Readers of the integers read the floats they were made from.
void bypass(Graph& graph, Value* integers, Value* floats) {
  for (const Use& use : std::vector<Use>(integers->users)) {
    if (use.node->op != "dequantize_linear" || use.input != 0) continue;
    Value* from = use.node->outputs[0];
    const bool was_output = graph.is_output(from);
    const std::string name = from->name;
    graph.replace_uses(from, floats);
    graph.erase(use.node, kPass);
    if (was_output && floats->producer != nullptr) graph.rename(floats, name);
  }
}

void bypass_pair(Graph& graph, Node* quantize) {
  Value* integers = quantize->outputs[0];
  Value* floats = quantize->inputs[0];
  bypass(graph, integers, floats);
  if (graph.is_output(integers)) {
    const std::string name = integers->name;
    graph.replace_uses(integers, floats);
    graph.rename(integers, name + ".stored");
    if (floats->producer != nullptr) graph.rename(floats, name);
  }
  if (integers->users.empty()) graph.erase(quantize, kPass);
}

void bypass_input(Graph& graph, Value* input) {
  const bool only = !input->users.empty() && std::ranges::all_of(input->users, [](const Use& use) {
    return use.node->op == "dequantize_linear" && use.input == 0;
  });
  if (!only) return;
  input->type.tensor = TensorType{DType::F32, input->type.tensor.shape};
  bypass(graph, input, input);
}

}  // namespace

bool has_quantized_activations(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node* node) {
    return node->op == "quantize_linear" || node->outputs[0]->type.tensor.quantized();
  });
}

Status dequantize_graph(Graph& graph) {
  HONE_RETURN_IF_ERROR(lower_to_onnx(graph));
  run_pass(graph, "expand_weights");
  for (Value* input : graph.inputs()) bypass_input(graph, input);
  std::vector<Node*> quantizers;  // Found first: a pair goes as a whole.
  for (Node* node : graph.nodes()) {
    if (node->op == "quantize_linear") quantizers.push_back(node);
  }
  for (Node* node : quantizers) bypass_pair(graph, node);
  graph.remove_unused_constants();
  for (const Node* node : graph.nodes()) {
    if (node->op == "quantize_linear" || node->op == "dequantize_linear") {
      return unsupported("node '", node->name, "': an integer operator reads or gives its value");
    }
  }
  HONE_RETURN_IF_ERROR(infer_types(graph));
  return verify(graph);
}

}  // namespace hone
