#include "hone/model/tflite_functions.h"

#include <algorithm>
#include <cmath>

#include "hone/model/split_fused.h"
#include "hone/ops/fused_activation.h"
#include "hone/passes/match.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kBoundPass = "bound_functions";
constexpr std::string_view kFunctionPass = "fuse_functions";

struct BoundedFunction {
  std::string_view op;
  float scale;
  int32_t zero_i8;
  int32_t zero_u8;
};

constexpr BoundedFunction kBounded[] = {
    {"log_softmax", 16.0F / 256, 127, 255},
    {"sigmoid", 1.0F / 256, -128, 0},
    {"softmax", 1.0F / 256, -128, 0},
    {"tanh", 1.0F / 128, 0, 128},
};

constexpr std::string_view kOfAnyScale[] = {"elu", "exp", "gelu", "hard_swish", "leaky_relu"};

bool is_byte(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8;
}

// A computed byte of one scale that the value was dequantized from.
QuantizedOperand byte_operand(const Value* value) {
  QuantizedOperand operand = operand_of(value);
  const bool fits = operand.value != nullptr && operand.quant->per_tensor() &&
                    !operand.value->constant && is_byte(operand.value->type.tensor.dtype);
  return fits ? std::move(operand) : QuantizedOperand{};
}

// The scale that TFLite's integer form of the node gives; null when there is no such form.
Quant bounded_scale(const Node& node, DType dtype) {
  const auto* row = std::ranges::find(kBounded, node.op, &BoundedFunction::op);
  if (row == std::end(kBounded)) return nullptr;
  if (node.op.ends_with("softmax")) {
    const int64_t axis = attr_of<int64_t>(node, "axis");
    if (axis != -1 && axis != node.inputs[0]->type.tensor.rank() - 1) return nullptr;
  }
  Quantization quant;
  quant.scales = {row->scale};
  quant.zero_points = {dtype == DType::I8 ? row->zero_i8 : row->zero_u8};
  return std::make_shared<const Quantization>(std::move(quant));
}

Tensor byte_of(DType dtype, int32_t value) {
  return dtype == DType::I8 ? Tensor::scalar(static_cast<int8_t>(value))
                            : Tensor::scalar(static_cast<uint8_t>(value));
}

// A pair behind an output of the node, which keeps its name for what reads it.
void add_pair(Graph& graph, Node& node, DType dtype, const Quantization& quant) {
  const TensorType floats = node.outputs[0]->type.tensor;
  TensorType bytes = floats;
  bytes.dtype = dtype;
  Value* scale = graph.add_constant(node.name + ".scale", Tensor::scalar(quant.scale()));
  Value* zero = graph.add_constant(node.name + ".zero_point", byte_of(dtype, quant.zero_point()));
  Node* quantize = add_after(graph, node, 0, "quantize_linear", {scale, zero}, bytes, {});
  add_after(graph, *quantize, 0, "dequantize_linear", {scale, zero}, floats, {});
}

bool is_quantized_as(const Graph& graph, const Value& value, DType dtype,
                     const Quantization& quant) {
  if (!read_once(graph, value)) return false;
  const Node& reader = *value.users[0].node;
  if (reader.op != "quantize_linear") return false;
  const Quant given = params_of(reader);
  return given != nullptr && *given == quant && reader.outputs[0]->type.tensor.dtype == dtype;
}

bool bound_function(Graph& graph, Node& node) {
  if (node.inputs.empty() || node.outputs.size() != 1) return false;
  const QuantizedOperand x = byte_operand(node.inputs[0]);
  if (x.value == nullptr) return false;
  const DType dtype = x.value->type.tensor.dtype;
  const Quant quant = bounded_scale(node, dtype);
  if (quant == nullptr || is_quantized_as(graph, *node.outputs[0], dtype, *quant)) return false;
  add_pair(graph, node, dtype, *quant);
  return true;
}

// A number as a byte of its own scale, dequantized.
Value* dequantized_number(Graph& graph, const Node& node, std::string_view what, DType dtype,
                          float number, Node* before) {
  const int32_t largest = dtype == DType::I8 ? 127 : 255;
  const std::string name = str(node.name, ".", what);
  Value* bytes = graph.add_constant(name, byte_of(dtype, largest));
  Value* scale =
      graph.add_constant(name + ".scale", Tensor::scalar(number / static_cast<float>(largest)));
  Value* zero = graph.add_constant(name + ".zero_point", byte_of(dtype, 0));
  return add_inferred(graph, "dequantize_linear", {bytes, scale, zero}, {}, name, before)
      ->outputs[0];
}

// A sixth of relu6(x + 3), the one of torch and of MobileNetV3.
bool split_hard_sigmoid(Graph& graph, Node& node) {
  if (node.op != "hard_sigmoid" || std::abs(attr_of<double>(node, "alpha") - 1.0 / 6) > 1e-6 ||
      attr_of<double>(node, "beta") != 0.5) {
    return false;
  }
  const QuantizedOperand x = byte_operand(node.inputs[0]);
  if (x.value == nullptr) return false;
  const DType dtype = x.value->type.tensor.dtype;
  Value* three = dequantized_number(graph, node, "three", dtype, 3, &node);
  Value* sixth = dequantized_number(graph, node, "sixth", dtype, 1.0F / 6, &node);
  Value* low = graph.add_constant(node.name + ".low", Tensor::scalar(0.0F));
  Value* high = graph.add_constant(node.name + ".high", Tensor::scalar(6.0F));
  Node* sum = add_inferred(graph, "add", {node.inputs[0], three}, {}, node.name, &node);
  Node* cut = add_inferred(graph, "clip", {sum->outputs[0], low, high}, {}, node.name, &node);
  Node* product = add_inferred(graph, "mul", {cut->outputs[0], sixth}, {}, node.name, &node);
  Quantization quant;
  quant.scales = {6.0F / 255};
  quant.zero_points = {dtype == DType::I8 ? -128 : 0};
  for (Node* part : {sum, cut, product}) graph.inherit_origins(part, node);
  add_pair(graph, *cut, dtype, quant);
  take_place(graph, {&node}, product, node.outputs[0], kBoundPass);
  return true;
}

// relu and relu6 as requantize has them; "" for anything else.
std::string clamp_of(const Node& node) {
  const auto fused = as_fused_activation(node);
  if (!fused) return "";
  if (fused->name == "relu" || fused->name == "relu6") return fused->name;
  const bool six = fused->name == "clip" && fused->params == Floats{0, 6};
  return six ? "relu6" : "";
}

struct FunctionForm {
  std::string op;  // "": none.
  Attrs attrs;
};

FunctionForm form_of(const Node& node, DType dtype, const Quantization& to) {
  if (const std::string clamp = clamp_of(node); !clamp.empty()) {
    return {"requantize", {{"activation", clamp}}};
  }
  const Quant bounded = bounded_scale(node, dtype);
  if (bounded != nullptr) return {*bounded == to ? node.op : "", node.attrs};
  const bool any = std::ranges::count(kOfAnyScale, node.op) > 0 && dtype == DType::I8;
  return {any ? node.op : "", node.attrs};
}

bool fuse_function(Graph& graph, Node* quantize) {
  if (quantize->op != "quantize_linear") return false;
  const Quant to = params_of(*quantize);
  Value* from = quantize->inputs[0];
  Node* node = from->producer;
  if (to == nullptr || !to->per_tensor() || node == nullptr || !read_once(graph, *from)) {
    return false;
  }
  const QuantizedOperand x = byte_operand(input_of(*node, 0));
  TensorType type = quantize->outputs[0]->type.tensor;
  if (x.value == nullptr || x.value->type.tensor.dtype != type.dtype ||
      !read_as_quantized(*quantize->outputs[0])) {
    return false;
  }
  FunctionForm form = form_of(*node, type.dtype, *to);
  if (form.op.empty()) return false;
  type.quant = to;
  x.value->type.tensor.quant = x.quant;
  Node* fused = graph.add_node(form.op, {x.value}, {ValueType(type)}, std::move(form.attrs),
                               node->name, quantize);
  take_place(graph, {node, quantize}, fused, quantize->outputs[0], kFunctionPass);
  return true;
}

}  // namespace

int bound_functions(Graph& graph) {
  int changed = 0;
  for (Node* node : graph.nodes()) {
    changed += bound_function(graph, *node) || split_hard_sigmoid(graph, *node) ? 1 : 0;
  }
  return changed;
}

int fuse_functions(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) fused += fuse_function(graph, node) ? 1 : 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "dequantize_linear") erase_if_unread(graph, node, kFunctionPass);
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace hone
