// A batch norm that cannot be folded is still only a scale and a shift:
//
//   %y = batch_norm(%x, gamma, beta, mean, var)   =>   %m = mul(%x, s)
//                                                      %y = add(%m, beta - mean * s)
//   s = gamma / sqrt(var + epsilon)
//
// Only where no convolution stands right before it, which would take it in.

#include <cmath>

#include "hone/analyze/remedy_def.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

constexpr std::string_view kScaleForBatchNormRemedy = "scale_for_batch_norm";

bool folds_away(const Graph& graph, const Node& node) {
  for (const char* op : {"conv", "conv_transpose", "gemm"}) {
    if (made_for(graph, node.inputs[0], op) != nullptr) return true;
  }
  return false;
}

// One number per channel, in the shape that broadcasts over the others: [1, C, 1, 1].
Tensor per_channel(const std::vector<float>& values, size_t rank) {
  Shape shape(rank, 1);
  shape[1] = static_cast<int64_t>(values.size());
  return Tensor::of<float>(std::move(shape), values);
}

bool rewrite(Graph& graph, Node* node) {
  std::vector<std::vector<double>> statistics;
  for (size_t input = 1; input < 5; ++input) {
    const Tensor* values = constant_of(*node, input);
    if (values == nullptr || values->dtype() != DType::F32) return false;
    statistics.push_back(to_doubles(*values));
  }
  const size_t rank = node->inputs[0]->type.tensor.shape.size();
  if (!makes_floats(*node) || activated(*node) || node->outputs.size() != 1 || rank < 2) {
    return false;
  }
  const double epsilon = attr_of<double>(*node, "epsilon");
  std::vector<float> scale;
  std::vector<float> shift;
  for (size_t c = 0; c < statistics[0].size(); ++c) {
    const double factor = statistics[0][c] / std::sqrt(statistics[3][c] + epsilon);
    scale.push_back(static_cast<float>(factor));
    shift.push_back(static_cast<float>(statistics[1][c] - statistics[2][c] * factor));
  }
  Value* factors = graph.add_constant(node->name + ".scale", per_channel(scale, rank));
  Value* offsets = graph.add_constant(node->name + ".shift", per_channel(shift, rank));
  Node* mul = add_inferred(graph, "mul", {node->inputs[0], factors}, {}, node->name + ".mul", node);
  Node* add = add_inferred(graph, "add", {mul->outputs[0], offsets}, {}, node->name, node);
  graph.inherit_origins(mul, *node);
  take_place(graph, {node}, add, node->outputs[0], kScaleForBatchNormRemedy);
  return true;
}

Result<bool> apply_scale_for_batch_norm(const Prescription& model, const Finding*, std::string&) {
  bool changed = false;
  for (Node* node : model.graph->nodes()) {
    if (node->op != "batch_norm" || folds_away(*model.graph, *node)) continue;
    changed = rewrite(*model.graph, node) || changed;
  }
  if (changed) model.graph->remove_unused_constants();
  return changed;
}

}  // namespace

extern const RemedyDef remedy_scale_for_batch_norm = {
    .id = kScaleForBatchNormRemedy,
    .summary =
        "Says a batch norm that cannot be folded as a product and a sum, which have kernels.",
    .rules = {"batch_norm_left"},
    .apply = apply_scale_for_batch_norm,
};

}  // namespace hone
