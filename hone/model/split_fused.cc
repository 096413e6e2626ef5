#include "hone/model/split_fused.h"

#include "hone/ops/op_def.h"
#include "hone/passes/match.h"
#include "hone/tensor/dispatch.h"

namespace hone {

Node* add_after(Graph& graph, Node& node, size_t output, std::string_view op,
                std::vector<Value*> more_inputs, ValueType type, Attrs attrs) {
  Node* after = add_behind(graph, node, output, op, std::move(more_inputs), std::move(attrs));
  after->outputs[0]->type = std::move(type);
  return after;
}

TensorType float_type(TensorType type) {
  type.dtype = DType::F32;
  type.quant = nullptr;
  return type;
}

namespace {

constexpr size_t kResidualInput = 3;  // Of conv and gemm.

// A bound of a clip, of the element type of what it limits; quantized values are floats by then.
Value* bound(Graph& graph, const Node& node, std::string_view suffix, double value) {
  const DType dtype = node.outputs[0]->type.tensor.dtype;
  Tensor tensor(TensorType{kFloat.contains(dtype) ? dtype : DType::F32, {}});
  dispatch_float(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    tensor.mutable_data<T>()[0] = T(static_cast<Compute<T>>(value));
  });
  return graph.add_constant(str(node.name, suffix), std::move(tensor));
}

void add_clip(Graph& graph, Node& node, double low, double high) {
  const ValueType type = node.outputs[0]->type;
  Value* const bounds[] = {bound(graph, node, ".low", low), bound(graph, node, ".high", high)};
  add_after(graph, node, 0, "clip", {bounds[0], bounds[1]}, type, {});
}

// x * sigmoid(x), since Swish is newer than most that read ONNX.
void add_silu(Graph& graph, Node& node) {
  const ValueType type = node.outputs[0]->type;
  Node* mul = add_after(graph, node, 0, "mul", {nullptr}, type, {});
  Node* gate = graph.add_node("sigmoid", {node.outputs[0]}, {type}, {}, node.name, mul);
  graph.set_origins(gate, node.origins);
  graph.set_input(mul, 1, gate->outputs[0]);
}

}  // namespace

void split_activation(Graph& graph, Node& node) {
  const std::string* found = node.find_attr<std::string>("activation");
  if (found == nullptr) return;
  const std::string name = *found;
  const Floats* given = node.find_attr<Floats>("activation_params");
  const Floats params = given == nullptr ? Floats{} : *given;
  node.attrs.erase("activation");
  node.attrs.erase("activation_params");
  if (name.empty()) return;
  if (name == "relu6") {
    add_clip(graph, node, 0, 6);
  } else if (name == "relu_n1_to_1") {
    add_clip(graph, node, -1, 1);
  } else if (name == "clip" && params.size() == 2) {
    add_clip(graph, node, params[0], params[1]);
  } else if (name == "silu") {
    add_silu(graph, node);
  } else {
    Attrs attrs;
    if (name == "gelu_tanh") attrs["approximate"] = std::string("tanh");
    if (!params.empty()) attrs["alpha"] = params[0];
    if (params.size() > 1) attrs["beta"] = params[1];
    const std::string op = name == "gelu_tanh" ? "gelu" : name;
    add_after(graph, node, 0, op, {}, node.outputs[0]->type, std::move(attrs));
  }
  // Only what the activation makes is quantized: Q and DQ do not come between the two.
  TensorType& before = node.outputs[0]->type.tensor;
  if (before.quantized()) before = float_type(before);
}

void split_residual(Graph& graph, Node& node) {
  if ((node.op != "conv" && node.op != "gemm") || node.inputs.size() <= kResidualInput) return;
  Value* residual = node.inputs[kResidualInput];
  graph.set_input(&node, kResidualInput, nullptr);
  node.inputs.resize(kResidualInput);
  if (residual == nullptr) return;
  add_after(graph, node, 0, "add", {residual}, node.outputs[0]->type, {});
}

}  // namespace hone
