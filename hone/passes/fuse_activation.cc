// Applies an activation while the values before it are written.
//
//   %y = conv(%x, w, b)
//   %z = relu(%y)          =>   %z = conv(%x, w, b) activation=relu
//
// After conv, conv_transpose, gemm, add, sub, mul, div, max_pool and average_pool on floats. Leaves
// alone what has a second reader or an activation already, and a clip whose bounds are computed.

#include <limits>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kPass = "fuse_activation";

struct Fused {
  std::string name;
  Floats params = {};
};

std::optional<Fused> fused_clip(const Node& clip) {
  double bounds[] = {-std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (input_of(clip, i) == nullptr) continue;
    const auto bound = number_of(clip.inputs[i]);
    if (!bound) return {};
    bounds[i - 1] = *bound;
  }
  const auto [low, high] = bounds;
  if (low == 0 && high == 6) return Fused{"relu6"};
  if (low == -1 && high == 1) return Fused{"relu_n1_to_1"};
  if (low == 0 && high > std::numeric_limits<float>::max()) return Fused{"relu"};
  return Fused{"clip", {low, high}};
}

// The activation that the node is, or nothing.
std::optional<Fused> activation_of(const Node& node) {
  const std::string& op = node.op;
  const auto real = [&](std::string_view name) { return attr_of<double>(node, name); };
  if (op == "relu" || op == "tanh" || op == "sigmoid" || op == "hard_swish") return Fused{op};
  if (op == "clip") return fused_clip(node);
  if (op == "leaky_relu") return Fused{op, {real("alpha")}};
  if (op == "hard_sigmoid") return Fused{op, {real("alpha"), real("beta")}};
  if (op == "swish" && real("alpha") == 1) return Fused{"silu"};
  if (op == "gelu") {
    const bool by_tanh = attr_of<std::string>(node, "approximate") == "tanh";
    return Fused{by_tanh ? "gelu_tanh" : "gelu"};
  }
  return {};
}

Node* host_of(const Graph& graph, const Node& activation) {
  for (const std::string_view op :
       {"conv", "conv_transpose", "gemm", "add", "sub", "mul", "div", "max_pool", "average_pool"}) {
    Node* host = made_for(graph, activation.inputs[0], op);
    if (host == nullptr || !makes_floats(*host)) continue;
    return attr_of<std::string>(*host, "activation").empty() ? host : nullptr;
  }
  return nullptr;
}

int run(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    auto activation = activation_of(*node);
    Node* host = activation ? host_of(graph, *node) : nullptr;
    if (host == nullptr) continue;
    host->attrs["activation"] = std::move(activation->name);
    if (!activation->params.empty()) {
      host->attrs["activation_params"] = std::move(activation->params);
    }
    take_place(graph, {node}, host, node->outputs[0], kPass);
    ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_activation = {
    .name = kPass,
    .summary = "Applies activations while the values before them are written.",
    .stage = PassStage::Engine,
    .run = run,
};

}  // namespace hone
