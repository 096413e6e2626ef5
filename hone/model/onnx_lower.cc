#include "hone/model/onnx_lower.h"

#include <algorithm>
#include <numeric>

#include "hone/ops/movement/transpose_tflite.h"  // permuted, transposed
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr std::string_view kPass = "lower_to_onnx";
constexpr size_t kResidual = 3;  // Of conv and gemm.

// Puts a node between a node's output and everything that read it. The name goes to the new value,
// which is what the rest of the graph sees.
Node* add_after(Graph& graph, Node& node, size_t output, std::string_view op,
                std::vector<Value*> more_inputs, ValueType type, Attrs attrs) {
  Value* before = node.outputs[output];
  std::vector<Value*> inputs{nullptr};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  Node* after = graph.add_node(op, std::move(inputs), {std::move(type)}, std::move(attrs),
                               node.name, graph.next(node));
  graph.set_origins(after, node.origins);
  graph.replace_uses(before, after->outputs[0]);
  graph.set_input(after, 0, before);
  const std::string name = before->name;
  graph.rename(after->outputs[0], name);
  return after;
}

Node* add_before(Graph& graph, Node& node, size_t input, std::string_view op,
                 std::vector<Value*> more_inputs, ValueType type, Attrs attrs) {
  std::vector<Value*> inputs{node.inputs[input]};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  Node* before =
      graph.add_node(op, std::move(inputs), {std::move(type)}, std::move(attrs), node.name, &node);
  graph.set_origins(before, node.origins);
  graph.set_input(&node, input, before->outputs[0]);
  return before;
}

TensorType float_type(TensorType type) {
  type.dtype = DType::F32;
  type.quant = nullptr;
  return type;
}

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

Status split_activation(Graph& graph, Node& node) {
  const std::string* found = node.find_attr<std::string>("activation");
  if (found == nullptr) return Done{};
  const std::string name = *found;
  const Floats* given = node.find_attr<Floats>("activation_params");
  const Floats params = given == nullptr ? Floats{} : *given;
  node.attrs.erase("activation");
  node.attrs.erase("activation_params");
  if (name.empty()) return Done{};
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
  return Done{};
}

// conv(x, w, b, residual) as the sum of the two.
void split_residual(Graph& graph, Node& node) {
  if ((node.op != "conv" && node.op != "gemm") || node.inputs.size() <= kResidual) return;
  Value* residual = node.inputs[kResidual];
  graph.set_input(&node, kResidual, nullptr);
  node.inputs.resize(kResidual);
  if (residual == nullptr) return;
  add_after(graph, node, 0, "add", {residual}, node.outputs[0]->type, {});
}

// [0, rank-1, 1, ..., rank-2]: channels from last to second.
Ints channels_first(size_t rank) {
  Ints perm(rank);
  std::iota(perm.begin(), perm.end(), int64_t{0});
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return perm;
}

Ints channels_last(size_t rank) {
  Ints perm(rank);
  std::iota(perm.begin(), perm.end(), int64_t{0});
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return perm;
}

bool is_image(const Node& node, size_t input) {
  return input == 0 || (input == kResidual && node.op == "conv");
}

bool is_image_weight(const Node& node, size_t input) {
  return input == 1 && (node.op == "conv" || node.op == "conv_transpose");
}

// A node that could not be typed keeps what the file declares, which may be anything.
Status check_image(const TensorType& type, const Node& node) {
  if (type.ranked && type.rank() >= 3) return Done{};
  return unsupported("node '", node.name, "': ", type, " is no image with channels");
}

// An nhwc operator as its nchw twin between transposes. Transposed convolutions keep their output
// channels first in nhwc but second in ONNX.
Status to_channels_first(Graph& graph, Node& node) {
  const std::string* layout = node.find_attr<std::string>("layout");
  if (layout == nullptr) return Done{};
  const bool nhwc = *layout == "nhwc";
  node.attrs.erase("layout");
  if (!nhwc) return Done{};
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr || !(is_image(node, i) || is_image_weight(node, i))) continue;
    const TensorType type = node.inputs[i]->type.tensor;
    HONE_RETURN_IF_ERROR(check_image(type, node));
    Ints perm = channels_first(static_cast<size_t>(type.rank()));
    if (i == 1 && node.op == "conv_transpose") std::swap(perm[0], perm[1]);
    if (const auto& constant = node.inputs[i]->constant) {
      // Weights are turned once, here.
      const std::string name = node.inputs[i]->name + ".nchw";
      graph.set_input(&node, i, graph.add_constant(name, transposed(*constant, perm)));
    } else {
      add_before(graph, node, i, "transpose", {}, permuted(type, perm), {{"perm", perm}});
    }
  }
  const size_t outputs = node.op == "max_pool" ? 1 : node.outputs.size();
  for (size_t o = 0; o < outputs; ++o) {
    const TensorType type = node.outputs[o]->type.tensor;
    HONE_RETURN_IF_ERROR(check_image(type, node));
    const auto rank = static_cast<size_t>(type.rank());
    add_after(graph, node, o, "transpose", {}, type, {{"perm", channels_last(rank)}});
    node.outputs[o]->type = permuted(type, channels_first(rank));
  }
  return Done{};
}

// The scale and zero point of a type as the constants that Q and DQ read.
struct QuantInputs {
  std::vector<Value*> values;
  Attrs attrs;
};

Tensor zero_points(const Quantization& quant, DType dtype, const Shape& shape) {
  Tensor tensor(TensorType{dtype, shape});
  dispatch<int8_t, uint8_t, int16_t, uint16_t, int32_t>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto out = tensor.mutable_data<T>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(quant.zero_points[i]);
  });
  return tensor;
}

QuantInputs quant_inputs(Graph& graph, const std::string& name, const TensorType& type) {
  const Quantization& quant = *type.quant;
  const Shape shape =
      quant.per_tensor() ? Shape{} : Shape{static_cast<int64_t>(quant.scales.size())};
  QuantInputs result;
  result.values.push_back(
      graph.add_constant(name + ".scale", Tensor::of<float>(shape, quant.scales)));
  result.values.push_back(
      graph.add_constant(name + ".zero_point", zero_points(quant, type.dtype, shape)));
  if (!quant.per_tensor()) result.attrs["axis"] = static_cast<int64_t>(quant.axis);
  return result;
}

// What QuantizeLinear gives and DequantizeLinear takes; a bias is the reason for 32 bits.
constexpr DTypeSet kQuantizable{DType::I8, DType::U8, DType::I16, DType::U16};
constexpr DTypeSet kDequantizable = kQuantizable | DTypeSet{DType::I32};

Status check_quantized(const TensorType& type, DTypeSet allowed, const Node& node) {
  if (allowed.contains(type.dtype)) return Done{};
  return unsupported("node '", node.name, "': ONNX has no quantized ", type, " here");
}

Status wrap_quantized(Graph& graph, Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr || !node.inputs[i]->type.tensor.quantized()) continue;
    const TensorType type = node.inputs[i]->type.tensor;
    HONE_RETURN_IF_ERROR(check_quantized(type, kDequantizable, node));
    QuantInputs quant = quant_inputs(graph, node.inputs[i]->name, type);
    add_before(graph, node, i, "dequantize_linear", quant.values, float_type(type), quant.attrs);
  }
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const TensorType type = node.outputs[o]->type.tensor;
    if (!type.quantized()) continue;
    HONE_RETURN_IF_ERROR(check_quantized(type, kQuantizable, node));
    QuantInputs quant = quant_inputs(graph, node.outputs[o]->name, type);
    add_after(graph, node, o, "quantize_linear", quant.values, type, quant.attrs);
    node.outputs[o]->type = float_type(type);
  }
  return Done{};
}

// Nodes whose work is done once Q and DQ stand around them.
void remove_conversions(Graph& graph) {
  for (Node* node : graph.nodes()) {
    if (node->op != "requantize") continue;
    Node* heir = node->inputs[0]->producer;
    for (const Use& use : node->outputs[0]->users) heir = use.node;
    Value* const from = node->outputs[0];
    const bool was_output = graph.is_output(from);
    const std::string name = from->name;
    Value* const to = node->inputs[0];
    if (heir == nullptr) continue;
    Node* const old[] = {node};
    Node* const by[] = {heir};
    const std::pair<Value*, Value*> uses[] = {{from, to}};
    graph.replace(old, by, uses, kPass);
    if (was_output && to->producer != nullptr) graph.rename(to, name);
  }
}

void strip_quantization(Graph& graph) {
  for (Value* value : graph.constants()) {
    value->constant = value->constant->with_quantization(nullptr);
    value->type.tensor.quant = nullptr;
  }
  for (Value* value : graph.inputs()) value->type.tensor.quant = nullptr;
  for (Node* node : graph.nodes()) {
    for (Value* value : node->outputs) value->type.tensor.quant = nullptr;
  }
}

}  // namespace

Status lower_to_onnx(Graph& graph) {
  // Transposes first, so that what is split off stays beside its operator, where readers look.
  for (Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(to_channels_first(graph, *node));
  for (Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(split_activation(graph, *node));
  for (Node* node : graph.nodes()) split_residual(graph, *node);
  for (Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(wrap_quantized(graph, *node));
  remove_conversions(graph);
  strip_quantization(graph);
  graph.remove_unused_constants();
  // No check but an error: a quantized tensor may fit where its float twin is too large.
  return verify(graph);
}

}  // namespace hone
