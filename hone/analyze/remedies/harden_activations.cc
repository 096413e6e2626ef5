// Swish and sigmoid become their hard variants. The model should be trained again after that.

#include "hone/analyze/activation_cost.h"
#include "hone/analyze/remedy_def.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

constexpr std::string_view kHardenActivationsRemedy = "harden_activations";

// x * sigmoid(x), as exporters write it: the sigmoid alone becomes hard_sigmoid(x / 6 + 1 / 2),
// which makes the product a hard swish.
Result<bool> apply_harden_activations(const Prescription& model, const Finding*, std::string&) {
  bool changed = false;
  for (Node* node : model.graph->nodes()) {
    const bool sigmoid = node->op == "sigmoid";
    if ((!sigmoid && node->op != "swish") || !makes_floats(*node)) continue;
    Attrs attrs;
    if (sigmoid) attrs = {{"alpha", 1.0 / 6}, {"beta", 0.5}};
    Node* hard = add_inferred(*model.graph, sigmoid ? "hard_sigmoid" : "hard_swish",
                              {node->inputs[0]}, std::move(attrs), node->name, node);
    take_place(*model.graph, {node}, hard, node->outputs[0], kHardenActivationsRemedy);
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
