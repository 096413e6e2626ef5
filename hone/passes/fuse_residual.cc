// Adds what is added to a convolution or matrix product while it is written.
//
//   %y = conv(%x, w, b)
//   %z = add(%y, %r)       =>   %z = conv(%x, w, b, %r)
//
// The new node stands where the add stood, so %r is there by then; of two candidates the later one
// takes the other as its residual. Leaves alone what has a second reader, an activation before the
// add or another shape than %r.

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFuseResidualPass = "fuse_residual";
constexpr size_t kResidualInput = 3;

Node* host_at(const Graph& graph, const Node& add, size_t input) {
  Node* host = made_for(graph, add.inputs[input], "conv");
  if (host == nullptr) host = made_for(graph, add.inputs[input], "gemm");
  if (host == nullptr || !makes_floats(*host)) return nullptr;
  if (!attr_of<std::string>(*host, "activation").empty()) return nullptr;
  if (input_of(*host, kResidualInput) != nullptr) return nullptr;
  if (host->inputs[1]->type.tensor.quantized()) return nullptr;
  return host;
}

// The input of `add` that can take up the other, or nothing.
std::optional<size_t> host_input(const Graph& graph, const Node& add) {
  const TensorType& type = add.outputs[0]->type.tensor;
  if (!type.known() || type.quantized()) return {};
  for (const Value* input : add.inputs) {
    if (!(input->type.tensor == type)) return {};
  }
  const Node* hosts[] = {host_at(graph, add, 0), host_at(graph, add, 1)};
  if (hosts[0] == nullptr && hosts[1] == nullptr) return {};
  if (hosts[0] == nullptr || hosts[1] == nullptr) return hosts[0] == nullptr ? 1 : 0;
  return graph.runs_before(*hosts[0], *hosts[1]) ? 1 : 0;
}

void fuse_add(Graph& graph, Node& add, size_t input) {
  Node& host = *add.inputs[input]->producer;
  std::vector<Value*> inputs = host.inputs;
  inputs.resize(kResidualInput);
  inputs.push_back(add.inputs[1 - input]);
  Attrs attrs = host.attrs;
  for (const auto& [key, value] : add.attrs) attrs.insert_or_assign(key, value);
  Node* fused = graph.add_node(host.op, std::move(inputs), {add.outputs[0]->type}, std::move(attrs),
                               host.name, &add);
  take_place(graph, {&host, &add}, fused, add.outputs[0], kFuseResidualPass);
}

int run_fuse_residual(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "add") continue;
    const auto input = host_input(graph, *node);
    if (!input) continue;
    fuse_add(graph, *node, *input);
    ++fused;
  }
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_residual = {
    .name = kFuseResidualPass,
    .summary = "Adds the other branch of a residual block inside the conv or gemm.",
    .stage = PassStage::Engine,
    .run = run_fuse_residual,
};

}  // namespace hone
