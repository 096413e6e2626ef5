// Swish and sigmoid become their hard variants. The model should be trained again after that.

#include <set>

#include "hone/analyze/remedy_def.h"
#include "hone/passes/match.h"
#include "hone/passes/swish_gate.h"

namespace hone {
namespace {

constexpr std::string_view kHardenActivationsRemedy = "harden_activations";

// Sigmoids of x * sigmoid(x), as exporters write a swish.
std::set<const Node*> swish_gates(const Graph& graph) {
  std::set<const Node*> gates;
  for (const Node* node : graph.nodes()) {
    if (const auto gate = swish_gate(graph, *node)) gates.insert(gate->sigmoid);
  }
  return gates;
}

// A sigmoid becomes hard_sigmoid(x / 6 + 1 / 2), which makes a hard swish of a product with x.
void harden(Graph& graph, Node* node) {
  const bool sigmoid = node->op == "sigmoid";
  Attrs attrs;
  if (sigmoid) attrs = {{"alpha", 1.0 / 6}, {"beta", 0.5}};
  Node* hard = add_inferred(graph, sigmoid ? "hard_sigmoid" : "hard_swish", {node->inputs[0]},
                            std::move(attrs), node->name, node);
  take_place(graph, {node}, hard, node->outputs[0], kHardenActivationsRemedy);
}

// The setting is the activation to replace; empty: both.
Result<bool> apply_harden_activations(const Prescription& model, const Finding* finding,
                                      std::string& setting) {
  if (finding != nullptr) setting = finding->part;
  if (finding == nullptr && setting != "" && setting != "sigmoid" && setting != "swish") {
    return bad_input("setting is '", setting, "', expected sigmoid or swish");
  }
  const std::set<const Node*> gates = swish_gates(*model.graph);
  bool changed = false;
  for (Node* node : model.graph->nodes()) {
    if ((node->op != "sigmoid" && node->op != "swish") || !makes_floats(*node)) continue;
    const std::string name = gates.contains(node) ? "swish" : node->op;
    if (!setting.empty() && setting != name) continue;
    harden(*model.graph, node);
    changed = true;
  }
  return changed;
}

}  // namespace

extern const RemedyDef remedy_harden_activations = {
    .id = kHardenActivationsRemedy,
    .summary = "Replaces sigmoid and swish by their hard variants.",
    .rules = {"expensive_activation"},
    .approximate = true,
    .apply = apply_harden_activations,
};

}  // namespace hone
