#include "hone/quantize/layers.h"

#include <algorithm>
#include <set>

#include "hone/passes/elementwise_region.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

bool is_float(const Value* value) {
  return value != nullptr && value->type.is_tensor() && value->type.tensor.dtype == DType::F32;
}
bool is_activation(const Value* value) {
  return is_float(value) && !value->constant;
}

std::optional<LayerKind> layer_kind(const Node& node) {
  switch (integer_form(node)) {
    case IntegerForm::Weights:
      return LayerKind::Weights;
    case IntegerForm::Scaled:
      return LayerKind::Pair;
    case IntegerForm::Mean:
      return LayerKind::Mean;
    case IntegerForm::SameScale:
    case IntegerForm::Joined:
      return LayerKind::Keep;
    case IntegerForm::Softmax:
    case IntegerForm::None:
      break;
  }
  return std::nullopt;
}

// The activations that the kind of layer quantizes, or none when the node does not fit it.
std::vector<Use> operands_of(Node* node, LayerKind kind) {
  std::vector<Use> operands;
  const bool all = kind == LayerKind::Pair || integer_form(*node) == IntegerForm::Joined;
  const size_t count = all ? node->inputs.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    if (is_activation(node->inputs[i])) operands.push_back({node, i});
  }
  if (kind == LayerKind::Weights) {
    const Value* weights = input_of(*node, 1);
    const bool constant = is_float(weights) && weights->constant;
    if (!constant || (node->op == "matmul" && weights->type.tensor.rank() != 2)) return {};
  }
  return operands.size() == count ? operands : std::vector<Use>();
}

std::vector<Use> operands_of(const ElementwiseRegion& region) {
  std::vector<Use> operands;
  for (const Use& use : region.source->users) {
    if (std::ranges::find(region.nodes, use.node) != region.nodes.end()) operands.push_back(use);
  }
  return operands;
}

Value* result_of(const Graph& graph, const Node& node) {
  Value* result = node.outputs[0];
  if (!read_once(graph, *result)) return result;
  const Node* reader = result->users[0].node;
  return is_fused_clamp(graph, *reader) ? reader->outputs[0] : result;
}

class Finder {
 public:
  Finder(const Graph& graph, const PlanReader& plan) : graph_(graph), plan_(plan) {
    // Regions that end last come first: they are the largest.
    const std::vector<Node*> nodes = graph.nodes();
    for (size_t i = nodes.size(); i-- > 0;) {
      if (inside_.contains(nodes[i])) continue;
      auto region = region_ending_in(graph, nodes[i]->outputs[0]);
      if (!region) continue;
      inside_.insert(region->nodes.begin(), region->nodes.end());
      ends_.emplace(nodes[i], *std::move(region));
    }
  }

  std::vector<QuantLayer> find() {
    std::vector<QuantLayer> layers;
    for (Node* node : graph_.nodes()) {
      const std::optional<Scheme> scheme = plan_.scheme_of(*node);
      if (!scheme) continue;
      if (auto layer = layer_of(node, *scheme)) layers.push_back(*std::move(layer));
    }
    return layers;
  }

 private:
  std::optional<QuantLayer> layer_of(Node* node, const Scheme& scheme) const {
    if (const auto end = ends_.find(node); end != ends_.end()) {
      if (!scheme.quantizes_activations()) return std::nullopt;
      return QuantLayer{LayerKind::Function, node, operands_of(end->second), node->outputs[0],
                        scheme};
    }
    const auto kind = layer_kind(*node);
    if (!kind || inside_.contains(node) || !is_float(node->outputs[0])) return std::nullopt;
    if (*kind != LayerKind::Weights && !scheme.quantizes_activations()) return std::nullopt;
    std::vector<Use> operands = operands_of(node, *kind);
    if (operands.empty()) return std::nullopt;
    Value* result = *kind == LayerKind::Keep || *kind == LayerKind::Mean ? node->outputs[0]
                                                                         : result_of(graph_, *node);
    return QuantLayer{*kind, node, std::move(operands), result, scheme};
  }

  const Graph& graph_;
  const PlanReader& plan_;
  std::set<const Node*> inside_;  // Of any region.
  std::unordered_map<const Node*, ElementwiseRegion> ends_;
};

}  // namespace

std::vector<QuantLayer> find_layers(const Graph& graph, const PlanReader& plan) {
  return Finder(graph, plan).find();
}

WeightAxes weight_axes(const Node& node) {
  if (node.op == "conv") return {0, 1};
  if (node.op == "gemm" && attr_of<int64_t>(node, "transB") != 0) return {0, 1};
  return {1, 0};
}

std::unordered_map<const Value*, const Value*> same_scale(const std::vector<QuantLayer>& layers) {
  std::unordered_map<const Value*, const Value*> parent;
  const auto root = [&](const Value* value) {
    while (parent.contains(value) && parent[value] != value) value = parent[value];
    return value;
  };
  for (const QuantLayer& layer : layers) {
    const Value* to = root(layer.result);
    parent.try_emplace(to, to);
    for (const Use& use : layer.operands) {
      const Value* value = root(use.node->inputs[use.input]);
      parent.try_emplace(value, value);
      if (layer.kind != LayerKind::Keep) continue;
      parent[value] = to;
      for (const Value* output : layer.node->outputs) parent[root(output)] = to;
    }
  }
  std::unordered_map<const Value*, const Value*> stands_for;
  for (const auto& [value, up] : parent) stands_for[value] = root(value);
  return stands_for;
}

std::vector<const Value*> calibration_points(const Graph& graph,
                                             const std::vector<QuantLayer>& layers) {
  std::set<const Value*> followers;  // They have the scale of something else.
  for (const QuantLayer& layer : layers) {
    if (layer.kind != LayerKind::Keep) continue;
    followers.insert(layer.node->outputs.begin(), layer.node->outputs.end());
  }
  std::set<const Value*> wanted;
  for (const QuantLayer& layer : layers) {
    if (!layer.scheme.quantizes_activations()) continue;
    for (const Use& use : layer.operands) wanted.insert(use.node->inputs[use.input]);
    wanted.insert(layer.result);
  }
  std::vector<const Value*> points;
  for (const Value* input : graph.inputs()) {
    if (wanted.contains(input)) points.push_back(input);
  }
  for (const Node* node : graph.nodes()) {
    for (const Value* output : node->outputs) {
      if (wanted.contains(output) && !followers.contains(output)) points.push_back(output);
    }
  }
  return points;
}

}  // namespace hone
