// x * sigmoid(x), as frameworks without the operator export it, becomes swish.
//
//   %s = sigmoid(%x)
//   %y = mul(%x, %s)      =>   %y = swish(%x)
//
// sigmoid(mul(%x, constant)) gives swish its alpha. Leaves a sigmoid with other readers alone, and
// a constant that raises the rank.

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFuseSwishPass = "fuse_swish";

struct Gate {
  Node* sigmoid;
  Node* scale;  // The mul that gives alpha; null when alpha is 1.
  double alpha;
};

// Input `gate` of `product` as sigmoid(alpha * the other input).
std::optional<Gate> gate_at(const Graph& graph, const Node& product, size_t gate) {
  Node* sigmoid = made_for(graph, product.inputs[gate], "sigmoid");
  if (sigmoid == nullptr) return {};
  const Value* x = product.inputs[1 - gate];
  if (sigmoid->inputs[0] == x) return Gate{sigmoid, nullptr, 1};
  Node* scale = made_for(graph, sigmoid->inputs[0], "mul");
  if (scale == nullptr || !attr_of<std::string>(*scale, "activation").empty()) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto alpha = number_of(scale->inputs[1 - i]);
    if (scale->inputs[i] == x && alpha) return Gate{sigmoid, scale, *alpha};
  }
  return {};
}

bool fuse_product(Graph& graph, Node& product, size_t gate) {
  const auto found = gate_at(graph, product, gate);
  if (!found || !same_shape(*product.inputs[1 - gate], *product.outputs[0])) return false;
  Attrs attrs;
  if (found->alpha != 1) attrs["alpha"] = found->alpha;
  Node* swish = add_inferred(graph, "swish", {product.inputs[1 - gate]}, std::move(attrs),
                             product.name, &product);
  std::vector<Node*> old = {found->sigmoid, &product};
  if (found->scale != nullptr) old.insert(old.begin(), found->scale);
  take_place(graph, old, swish, product.outputs[0], kFuseSwishPass);
  return true;
}

int run_fuse_swish(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "mul" || !makes_floats(*node)) continue;
    if (!attr_of<std::string>(*node, "activation").empty()) continue;
    if (fuse_product(graph, *node, 1) || fuse_product(graph, *node, 0)) ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_swish = {
    .name = kFuseSwishPass,
    .summary = "Makes x * sigmoid(x) one swish.",
    .stage = PassStage::Engine,
    .run = run_fuse_swish,
};

}  // namespace hone
