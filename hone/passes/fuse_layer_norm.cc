// Makes layer normalisation as exporters write it one operator.
//
//   %m = reduce_mean(%x, -1)
//   %d = sub(%x, %m)
//   %q = pow(%d, 2)                          or mul(%d, %d)
//   %v = reduce_mean(%q, -1)            =>   %y = layer_norm(%x, gamma, beta) axis=-1
//   %s = sqrt(add(%v, epsilon))
//   %n = div(%d, %s)                         or mul(%d, reciprocal(%s))
//   %y = add(mul(%n, gamma), beta)           both optional, constants
//
// The means may be over several axes when they are the last ones. Leaves alone what has other
// readers in between.

#include <algorithm>
#include <numeric>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFuseLayerNormPass = "fuse_layer_norm";

struct Norm {
  Value* x = nullptr;
  int64_t axis = 0;  // From here to the last.
  double epsilon = 0;
  std::vector<Node*> nodes = {};  // In no order.
  Node* last = nullptr;
  Value* gamma = nullptr;
  Value* beta = nullptr;
};

// The first of the axes that the node takes the mean over, when they are the last ones.
std::optional<int64_t> mean_axis(const Node& mean) {
  const Tensor* given = constant_of(mean, 1);
  const TensorType& type = mean.inputs[0]->type.tensor;
  if (given == nullptr || attr_of<int64_t>(mean, "keepdims") == 0 || !type.ranked) return {};
  Ints axes = to_ints(*given);
  for (int64_t& axis : axes) axis += axis < 0 ? type.rank() : 0;
  std::ranges::sort(axes);
  const int64_t first = type.rank() - static_cast<int64_t>(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != first + static_cast<int64_t>(i)) return {};
  }
  return axes.empty() ? std::nullopt : std::optional(first);
}

// sqrt(mean(d^2) + epsilon), with what it is made of put into `norm`.
bool match_deviation(const Graph& graph, const Value* value, const Value* d, Norm& norm) {
  Node* sqrt = made_for(graph, value, "sqrt");
  Node* add = sqrt == nullptr ? nullptr : made_for(graph, sqrt->inputs[0], "add");
  if (add == nullptr || activated(*add)) return false;
  const size_t i = number_of(add->inputs[0]) ? 1 : 0;
  const auto epsilon = number_of(add->inputs[1 - i]);
  Node* mean = made_for(graph, add->inputs[i], "reduce_mean");
  const auto axis = mean == nullptr ? std::nullopt : mean_axis(*mean);
  if (!epsilon || !axis) return false;
  Node* square = made_for(graph, mean->inputs[0], "pow");
  const bool by_pow =
      square != nullptr && square->inputs[0] == d && is_number(square->inputs[1], 2);
  if (!by_pow) {
    square = mean->inputs[0]->producer;
    if (square == nullptr || square->op != "mul" || !read_once(graph, *mean->inputs[0]) ||
        activated(*square) || square->inputs[0] != d || square->inputs[1] != d) {
      return false;
    }
  }
  norm.axis = *axis;
  norm.epsilon = *epsilon;
  norm.nodes.insert(norm.nodes.end(), {square, mean, add, sqrt});
  return true;
}

// d = x - mean(x), read by the square (once or twice) and by the division alone.
bool match_difference(const Graph& graph, const Value* d, Norm& norm) {
  Node* sub = made_by(d, "sub");
  if (sub == nullptr || activated(*sub) || graph.is_output(d)) return false;
  const bool ours = std::ranges::all_of(d->users, [&](const Use& use) {
    return use.node == norm.last || std::ranges::find(norm.nodes, use.node) != norm.nodes.end();
  });
  Node* mean = made_for(graph, sub->inputs[1], "reduce_mean");
  if (!ours || mean == nullptr || mean->inputs[0] != sub->inputs[0]) return false;
  if (mean_axis(*mean) != norm.axis) return false;
  norm.x = sub->inputs[0];
  norm.nodes.insert(norm.nodes.end(), {mean, sub});
  return true;
}

// `node` divides d by its deviation.
std::optional<Norm> norm_at(const Graph& graph, Node& node) {
  if (!makes_floats(node) || activated(node)) return {};
  Norm norm;
  norm.last = &node;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Value* d = node.inputs[i];
    const Value* deviation = node.inputs[1 - i];
    if (node.op == "div" && i == 1) continue;
    if (node.op == "mul") {
      Node* reciprocal = made_for(graph, deviation, "reciprocal");
      if (reciprocal == nullptr) continue;
      norm.nodes = {reciprocal};
      deviation = reciprocal->inputs[0];
    }
    if (!match_deviation(graph, deviation, d, norm)) continue;
    const bool found = match_difference(graph, d, norm) && same_shape(*norm.x, *node.outputs[0]);
    return found ? std::optional(norm) : std::nullopt;
  }
  return {};
}

// A constant that the node `op` applies to what `norm` ends with, of the normalised extents.
Value* parameter_after(const Graph& graph, Norm& norm, std::string_view op) {
  const Value* y = norm.last->outputs[0];
  if (!read_once(graph, *y) || activated(*norm.last)) return nullptr;
  Node* reader = y->users[0].node;
  if (reader->op != op || activated(*reader)) return nullptr;
  Value* parameter = reader->inputs[1 - y->users[0].input];
  if (!parameter->constant) return nullptr;
  const auto most = norm.x->type.tensor.rank() - norm.axis;
  if (parameter->type.tensor.rank() > most || !same_shape(*y, *reader->outputs[0])) return nullptr;
  norm.nodes.push_back(norm.last);
  norm.last = reader;
  return parameter;
}

Value* ones(Graph& graph, const Norm& norm) {
  const Shape& shape = norm.x->type.tensor.shape;
  const Shape extents(shape.begin() + norm.axis, shape.end());
  const std::vector<float> values(static_cast<size_t>(elements(extents)), 1.0f);
  return graph.add_constant(norm.last->name + ".ones", Tensor::of<float>(extents, values));
}

void fuse_norm(Graph& graph, Norm norm) {
  norm.gamma = parameter_after(graph, norm, "mul");
  norm.beta = parameter_after(graph, norm, "add");
  if (norm.gamma == nullptr) norm.gamma = ones(graph, norm);
  std::vector<Value*> inputs = {norm.x, norm.gamma};
  if (norm.beta != nullptr) inputs.push_back(norm.beta);
  Attrs attrs{{"axis", norm.axis - norm.x->type.tensor.rank()}, {"epsilon", norm.epsilon}};
  Node* by = add_inferred(graph, "layer_norm", std::move(inputs), std::move(attrs), norm.last->name,
                          norm.last);
  std::vector<Node*> old;
  for (Node* node : graph.nodes()) {
    if (node == norm.last || std::ranges::find(norm.nodes, node) != norm.nodes.end()) {
      old.push_back(node);
    }
  }
  take_place(graph, old, by, norm.last->outputs[0], kFuseLayerNormPass);
}

int run_fuse_layer_norm(Graph& graph) {
  int fused = 0;
  // The nodes behind a division are looked at from the division on, so none is visited when gone.
  std::vector<Node*> divisions;
  for (Node* node : graph.nodes()) {
    const bool divides = node->op == "div" ||
                         (node->op == "mul" && (made_by(node->inputs[0], "reciprocal") != nullptr ||
                                                made_by(node->inputs[1], "reciprocal") != nullptr));
    if (divides && norm_at(graph, *node)) divisions.push_back(node);
  }
  for (Node* node : divisions) {
    auto norm = norm_at(graph, *node);
    if (!norm || norm->x->type.tensor.dtype != DType::F32) continue;
    const auto extents =
        std::span(norm->x->type.tensor.shape).subspan(static_cast<size_t>(norm->axis));
    if (std::ranges::find(extents, kUnknown) != extents.end()) continue;
    fuse_norm(graph, *std::move(norm));
    ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_layer_norm = {
    .name = kFuseLayerNormPass,
    .summary = "Makes layer normalisation as exporters write it one operator.",
    .stage = PassStage::Engine,
    .run = run_fuse_layer_norm,
};

}  // namespace hone
