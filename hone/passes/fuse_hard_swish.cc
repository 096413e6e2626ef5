// Makes the usual spellings of hard_sigmoid and hard_swish one operator each.
//
//   clip(x + 3, 0, 6) / 6                 =>   hard_sigmoid(x) alpha=1/6 beta=0.5
//   x * hard_sigmoid(x) with those        =>   hard_swish(x)
//   x * clip(x + 3, 0, 6) / 6             =>   hard_swish(x)
//
// The division may be a product with 1 / 6, the factors may stand in either order, and the clip may
// be fused into the add as relu6. Leaves alone what has other readers in between.

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFuseHardSwishPass = "fuse_hard_swish";
constexpr double kSixth = 1.0 / 6;

// A chain of nodes that computes something of x.
struct Chain {
  Value* x;
  std::vector<Node*> nodes;  // In running order.
};

// x + 3.
std::optional<Chain> shifted(const Graph& graph, const Value* value) {
  Node* add = made_for(graph, value, "add");
  if (add == nullptr) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (is_number(add->inputs[1 - i], 3)) return Chain{add->inputs[i], {add}};
  }
  return {};
}

// clip(x + 3, 0, 6).
std::optional<Chain> clipped(const Graph& graph, const Value* value) {
  if (auto add = shifted(graph, value)) {
    const std::string* activation = add->nodes[0]->find_attr<std::string>("activation");
    return activation != nullptr && *activation == "relu6" ? add : std::nullopt;
  }
  Node* clip = made_for(graph, value, "clip");
  if (clip == nullptr || !is_number(input_of(*clip, 1), 0) || !is_number(input_of(*clip, 2), 6)) {
    return {};
  }
  auto add = shifted(graph, clip->inputs[0]);
  if (!add || activated(*add->nodes[0])) return {};
  add->nodes.push_back(clip);
  return add;
}

// The input that the node divides by 6, or null.
Value* divided_by_six(const Node& node) {
  if (activated(node)) return nullptr;
  if (node.op == "div") return is_number(node.inputs[1], 6) ? node.inputs[0] : nullptr;
  if (node.op != "mul") return nullptr;
  if (is_number(node.inputs[1], kSixth)) return node.inputs[0];
  return is_number(node.inputs[0], kSixth) ? node.inputs[1] : nullptr;
}

void replace(Graph& graph, std::string_view op, Chain chain, Node& last, Attrs attrs) {
  Node* by = add_inferred(graph, op, {chain.x}, std::move(attrs), last.name, &last);
  chain.nodes.push_back(&last);
  take_place(graph, chain.nodes, by, last.outputs[0], kFuseHardSwishPass);
}

bool make_hard_sigmoid(Graph& graph, Node& node) {
  const Value* dividend = divided_by_six(node);
  auto chain = dividend == nullptr ? std::nullopt : clipped(graph, dividend);
  if (!chain || !same_shape(*chain->x, *node.outputs[0])) return false;
  replace(graph, "hard_sigmoid", *std::move(chain), node, {{"alpha", kSixth}, {"beta", 0.5}});
  return true;
}

// x * gate(x): the gate's nodes and the product's inputs agree on x.
template <class GateFn>
std::optional<Chain> gated(const Graph& graph, const Node& product, GateFn gate_of) {
  if (product.op != "mul" || activated(product)) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    auto gate = gate_of(graph, product.inputs[i]);
    if (gate && gate->x == product.inputs[1 - i]) return gate;
  }
  return {};
}

std::optional<Chain> hard_sigmoid(const Graph& graph, const Value* value) {
  Node* node = made_for(graph, value, "hard_sigmoid");
  if (node == nullptr) return {};
  constexpr double kTolerance = 1e-6;
  const bool usual = std::abs(attr_of<double>(*node, "alpha") - kSixth) < kTolerance &&
                     std::abs(attr_of<double>(*node, "beta") - 0.5) < kTolerance;
  return usual ? std::optional(Chain{node->inputs[0], {node}}) : std::nullopt;
}

bool make_hard_swish(Graph& graph, Node& node) {
  auto chain = gated(graph, node, hard_sigmoid);
  if (!chain) {
    const Value* dividend = divided_by_six(node);
    Node* product = dividend == nullptr ? nullptr : made_for(graph, dividend, "mul");
    if (product == nullptr) return false;
    chain = gated(graph, *product, clipped);
    if (!chain) return false;
    chain->nodes.push_back(product);
  }
  if (!same_shape(*chain->x, *node.outputs[0])) return false;
  replace(graph, "hard_swish", *std::move(chain), node, {});
  return true;
}

int run_fuse_hard_swish(Graph& graph) {
  int fused = 0;
  // Walked by snapshot: a change takes away only nodes up to the one it is about.
  for (Node* node : graph.nodes()) {
    const bool fits = (node->op == "mul" || node->op == "div") && makes_floats(*node);
    if (fits && (make_hard_sigmoid(graph, *node) || make_hard_swish(graph, *node))) ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_hard_swish = {
    .name = kFuseHardSwishPass,
    .summary = "Makes the usual spellings of hard_sigmoid and hard_swish one operator.",
    .stage = PassStage::Engine,
    .run = run_fuse_hard_swish,
};

}  // namespace hone
