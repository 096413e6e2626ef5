// x * sigmoid(x), as frameworks without the operator export it, becomes swish.
//
//   %s = sigmoid(%x)
//   %y = mul(%x, %s)      =>   %y = swish(%x)
//
// sigmoid(mul(%x, constant)) gives swish its alpha. Leaves a sigmoid with other readers alone, and
// a constant that raises the rank.

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/swish_gate.h"

namespace hone {
namespace {

constexpr std::string_view kFuseSwishPass = "fuse_swish";

// Input `gate` of `product` as sigmoid(alpha * the other input).
std::optional<SwishGate> gate_at(const Graph& graph, const Node& product, size_t gate) {
  Node* sigmoid = made_for(graph, product.inputs[gate], "sigmoid");
  Value* x = product.inputs[1 - gate];
  if (sigmoid == nullptr || !same_shape(*x, *product.outputs[0])) return {};
  if (sigmoid->inputs[0] == x) return SwishGate{x, sigmoid, nullptr, 1};
  Node* scale = made_for(graph, sigmoid->inputs[0], "mul");
  if (scale == nullptr || !attr_of<std::string>(*scale, "activation").empty()) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto alpha = number_of(scale->inputs[1 - i]);
    if (scale->inputs[i] == x && alpha) return SwishGate{x, sigmoid, scale, *alpha};
  }
  return {};
}

void fuse_gate(Graph& graph, const SwishGate& gate, Node& product) {
  Attrs attrs;
  if (gate.alpha != 1) attrs["alpha"] = gate.alpha;
  Node* swish = add_inferred(graph, "swish", {gate.x}, std::move(attrs), product.name, &product);
  std::vector<Node*> old = {gate.sigmoid, &product};
  if (gate.scale != nullptr) old.insert(old.begin(), gate.scale);
  take_place(graph, old, swish, product.outputs[0], kFuseSwishPass);
}

int run_fuse_swish(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    const std::optional<SwishGate> gate = swish_gate(graph, *node);
    if (!gate) continue;
    fuse_gate(graph, *gate, *node);
    ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

std::optional<SwishGate> swish_gate(const Graph& graph, const Node& product) {
  if (product.op != "mul" || !makes_floats(product)) return {};
  if (!attr_of<std::string>(product, "activation").empty()) return {};
  const std::optional<SwishGate> behind = gate_at(graph, product, 1);
  return behind ? behind : gate_at(graph, product, 0);
}

extern const PassDef pass_fuse_swish = {
    .name = kFuseSwishPass,
    .summary = "Makes x * sigmoid(x) one swish.",
    .stage = PassStage::Engine,
    .run = run_fuse_swish,
};

}  // namespace hone
