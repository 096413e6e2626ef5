// Weights that TFLite keeps as integers under float activations, as the floats they stand for.

#include "hone/analyze/remedy_def.h"

namespace hone {
namespace {

bool is_hybrid(const Node& node) {
  return node.inputs.size() > 1 && node.inputs[0] != nullptr && node.inputs[1] != nullptr &&
         node.inputs[0]->type.tensor.dtype == DType::F32 && node.inputs[1]->type.tensor.quantized();
}

bool has_hybrid_nodes(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (is_hybrid(*node)) return true;
  }
  return false;
}

Result<bool> apply_expand_hybrid_weights(const Prescription& model, const Finding*, std::string&) {
  if (model.options->eval.expand_hybrid_weights || !has_hybrid_nodes(*model.graph)) return false;
  model.options->eval.expand_hybrid_weights = true;
  return true;
}

}  // namespace

extern const RemedyDef remedy_expand_hybrid_weights = {
    .id = "expand_hybrid_weights",
    .summary = "Expands integer weights under float activations, so that float kernels run them.",
    .touches = Touches::Running,
    .apply = apply_expand_hybrid_weights,
};

}  // namespace hone
