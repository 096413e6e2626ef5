#include "hone/quantize/batch_norm_layers.h"

#include <cmath>

#include "hone/ops/common.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

bool rewrite(Graph& graph, Node* node) {
  const TensorType& x = node->inputs[0]->type.tensor;
  if (!makes_floats(*node) || node->outputs.size() != 1 || x.shape.size() != 4) return false;
  std::vector<std::vector<double>> statistics;  // Scale, shift, mean, variance.
  for (size_t input = 1; input < 5; ++input) {
    const Tensor* values = constant_of(*node, input);
    if (values == nullptr || values->dtype() != DType::F32) return false;
    statistics.push_back(to_doubles(*values));
  }
  const double epsilon = attr_of<double>(*node, "epsilon");
  const auto channels = static_cast<int64_t>(statistics[0].size());
  std::vector<float> weights, bias;
  for (size_t c = 0; c < statistics[0].size(); ++c) {
    const double factor = statistics[0][c] / std::sqrt(statistics[3][c] + epsilon);
    weights.push_back(static_cast<float>(factor));
    bias.push_back(static_cast<float>(statistics[1][c] - statistics[2][c] * factor));
  }
  Value* w =
      graph.add_constant(node->name + ".weight", Tensor::of<float>({channels, 1, 1, 1}, weights));
  Value* b = graph.add_constant(node->name + ".bias", Tensor::of<float>({channels}, bias));
  Node* conv =
      add_inferred(graph, "conv", {node->inputs[0], w, b}, {{"group", channels}}, node->name, node);
  take_place(graph, {node}, conv, node->outputs[0], "batch_norms_to_convs");
  return true;
}

}  // namespace

int batch_norms_to_convs(Graph& graph) {
  int count = 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "batch_norm" && rewrite(graph, node)) ++count;
  }
  if (count > 0) graph.remove_unused_constants();
  return count;
}

}  // namespace hone
