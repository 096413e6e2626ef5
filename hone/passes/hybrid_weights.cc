#include "hone/passes/hybrid_weights.h"

#include <set>
#include <unordered_map>

#include "hone/ops/quant/weighted.h"

namespace hone {
namespace {

constexpr size_t kWeights = 1;

bool is_hybrid(const Node& node) {
  static const std::set<std::string_view> kWeighted = {"conv", "conv_transpose", "gemm"};
  if (!kWeighted.contains(node.op)) return false;
  const TensorType& x = node.inputs[0]->type.tensor;
  const auto& weights = node.inputs[kWeights]->constant;
  // Quantized values say so from the start; types that are still to be inferred are plain ones.
  const bool floats = x.dtype == DType::F32 || x.dtype == DType::Undefined;
  return floats && !x.quantized() && weights && weights->type().quantized();
}

}  // namespace

int expand_hybrid_weights(Graph& graph) {
  int changed = 0;
  std::unordered_map<const Value*, Value*> floats;
  for (Node* node : graph.nodes()) {
    if (!is_hybrid(*node)) continue;
    const Value* stored = node->inputs[kWeights];
    Value*& expanded = floats[stored];
    if (expanded == nullptr) {
      expanded = graph.add_constant(stored->name + ".float", expanded_weights(*stored->constant));
    }
    graph.set_input(node, kWeights, expanded);
    ++changed;
  }
  graph.remove_unused_constants();
  return changed;
}

}  // namespace hone
