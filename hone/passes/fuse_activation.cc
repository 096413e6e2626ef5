// Applies an activation while the values before it are written.
//
//   %y = conv(%x, w, b)
//   %z = relu(%y)          =>   %z = conv(%x, w, b) activation=relu
//
// After operators that have the attribute, on floats. Leaves alone what has a second reader or an
// activation already, and a clip whose bounds are computed.

#include <algorithm>

#include "hone/ops/fused_activation.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFuseActivationPass = "fuse_activation";

// Conversions have it for integers alone.
bool has_activation(const Node& node) {
  const OpDef* op = find_op(node.op);
  return op != nullptr && op->kind != OpKind::Conversion &&
         std::ranges::count(op->attrs, "activation", &AttrDef::name) > 0;
}

// What makes the value that the activation is applied to, if it can apply it, too.
Node* host_of(const Graph& graph, const Node& activation) {
  const Value* x = activation.inputs[0];
  Node* host = x->producer;
  if (host == nullptr || !read_once(graph, *x) || !has_activation(*host)) return nullptr;
  return makes_floats(*host) && !activated(*host) ? host : nullptr;
}

int run_fuse_activation(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    auto activation = as_fused_activation(*node);
    Node* host = activation ? host_of(graph, *node) : nullptr;
    if (host == nullptr) continue;
    host->attrs["activation"] = std::move(activation->name);
    if (!activation->params.empty()) {
      host->attrs["activation_params"] = std::move(activation->params);
    }
    take_place(graph, {node}, host, node->outputs[0], kFuseActivationPass);
    ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_activation = {
    .name = kFuseActivationPass,
    .summary = "Applies activations while the values before them are written.",
    .stage = PassStage::Engine,
    .run = run_fuse_activation,
};

}  // namespace hone
