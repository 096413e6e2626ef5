// Turns operators between dequantize_linear and quantize_linear into operators on quantized types.
//
//   %xf = dequantize_linear(%x, sx, zx)
//   %wf = dequantize_linear(w, sw, 0) axis=0
//   %yf = conv(%xf, %wf, %bf)               =>   %y = conv(%x, w, b)  on types with sx, sw, sy
//   %a = relu(%yf)                                    activation=relu
//   %y = quantize_linear(%a, sy, zy)
//
// conv and gemm (the bias brought to sx * sw), add, sub, mul, concat, averages, softmax where its
// result has the scale of TFLite's, and what only moves or compares values when both sides have the
// same scale; functions of one value are tables by now (tabulate.cc). Results are TFLite's: they
// differ from those of the float graph by a unit in the last place now and then. A quantized value
// that a dequantize_linear still reads goes through requantize. Leaves alone what has computed
// scales, blocks of scales, or other readers than dequantize_linear.

#include <algorithm>
#include <cmath>
#include <set>

#include "hone/ops/quant/integer.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kPass = "fuse_qdq";
struct Fusion {
  Graph& graph;
  Node* quantize;    // Where the result is quantized,
  Node* activation;  // after this, or null,
  Node* node;        // which is applied to what this computes.
  Quant to;

  DType dtype() const { return quantize->outputs[0]->type.tensor.dtype; }

  // An operand of the result's element type, with one scale. No value when it is another.
  Operand activation_operand(size_t input) const {
    Operand operand = operand_of(input_of(*node, input));
    const bool fits = operand.value != nullptr && operand.quant->per_tensor() &&
                      !operand.value->constant && operand.value->type.tensor.dtype == dtype();
    return fits ? std::move(operand) : Operand{};
  }

  // Weights quantized along axis `channels` or as a whole, as int8 without zero point: 4-bit ones
  // are widened, and uint8 ones around 128 moved. Those with one other zero point stay, for
  // activations of their type.
  std::optional<Tensor> weight_operand(size_t input, int channels) const {
    const Operand operand = operand_of(input_of(*node, input));
    if (operand.value == nullptr || !operand.value->constant) return std::nullopt;
    if (!operand.quant->per_tensor() && operand.quant->axis != channels) return std::nullopt;
    const Tensor& stored = *operand.value->constant;
    const int32_t middle = stored.dtype() == DType::U8 ? 128 : 0;
    const bool centered = std::ranges::all_of(operand.quant->zero_points,
                                              [=](int32_t zero) { return zero == middle; });
    const bool as_they_are =
        stored.dtype() == DType::U8 && dtype() == DType::U8 && operand.quant->per_tensor();
    if (!centered && !as_they_are) return std::nullopt;
    if (!centered || stored.dtype() == DType::I8) return stored.with_quantization(operand.quant);
    if (stored.dtype() != DType::U8 && stored.dtype() != DType::I4) return std::nullopt;
    Tensor moved(TensorType{DType::I8, stored.shape()});
    const std::vector<int64_t> values = to_ints(stored);
    const auto bytes = moved.mutable_data<int8_t>();
    for (size_t i = 0; i < values.size(); ++i) bytes[i] = static_cast<int8_t>(values[i] - middle);
    Quantization quant = *operand.quant;
    std::ranges::fill(quant.zero_points, 0);
    return moved.with_quantization(std::make_shared<const Quantization>(std::move(quant)));
  }
};

// [K, N] to [N, K], and the axis of the scales with it.
Tensor transposed(const Tensor& weights) {
  const auto rows = static_cast<size_t>(weights.shape()[0]);
  const auto columns = static_cast<size_t>(weights.shape()[1]);
  Tensor result(TensorType{weights.dtype(), {weights.shape()[1], weights.shape()[0]}});
  const std::span<const std::byte> from = weights.bytes();
  const std::span<std::byte> to = result.mutable_bytes();
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  }
  Quantization quant = *weights.type().quant;
  if (!quant.per_tensor()) quant.axis = 1 - quant.axis;
  return result.with_quantization(std::make_shared<const Quantization>(std::move(quant)));
}

// The bias in units of x's scale times w's, as int32; nothing when it is not constant or too large.
std::optional<Tensor> integer_bias(const Value& bias, const Quantization& x, const Tensor& weights,
                                   int64_t channels) {
  std::vector<double> real;
  if (bias.constant) {
    real = to_doubles(*bias.constant);
  } else if (const Operand operand = operand_of(&bias); operand.value && operand.value->constant) {
    real = to_doubles(*operand.value->constant);
    for (size_t i = 0; i < real.size(); ++i) {
      real[i] = (real[i] - operand.quant->zero_point(i)) * operand.quant->scale(i);
    }
  }
  const Shape& shape = bias.type.tensor.shape;
  const bool by_columns = !shape.empty() && shape.back() == channels;
  if (!by_columns || static_cast<int64_t>(real.size()) != channels) return std::nullopt;
  std::vector<int32_t> stored;
  for (size_t i = 0; i < real.size(); ++i) {
    const double unit = double{x.scale()} * weights.type().quant->scale(i);
    const double steps = std::round(real[i] / unit);
    if (!(std::abs(steps) < 0x1p31)) return std::nullopt;
    stored.push_back(static_cast<int32_t>(steps));
  }
  return Tensor::of<int32_t>({channels}, stored);
}

// relu, relu6 or nothing, as the integer operators know them.
std::optional<std::string> integer_activation(const Node* activation) {
  if (activation == nullptr) return "";
  if (activation->op == "relu") return "relu";
  if (activation->op != "clip") return std::nullopt;
  const auto low = number_of(input_of(*activation, 1));
  const auto high = number_of(input_of(*activation, 2));
  if (low && high && *low == 0 && *high == 6) return "relu6";
  if (low && *low == 0 && input_of(*activation, 2) == nullptr) return "relu";
  return std::nullopt;
}

struct Rewrite {
  std::string op;
  std::vector<Operand> quantized;  // The first inputs,
  std::vector<Value*> others;      // and those after them.
  Attrs attrs;
};

std::optional<Rewrite> weighted(const Fusion& fusion) {
  const bool conv = fusion.node->op == "conv";
  const bool by_columns = !conv && attr_of<int64_t>(*fusion.node, "transB") == 0;
  if (!conv &&
      (attr_of<int64_t>(*fusion.node, "transA") != 0 ||
       attr_of<double>(*fusion.node, "alpha") != 1 || attr_of<double>(*fusion.node, "beta") != 1)) {
    return std::nullopt;
  }
  const Operand x = fusion.activation_operand(0);
  if (x.value == nullptr) return std::nullopt;
  std::optional<Tensor> weights = fusion.weight_operand(1, by_columns ? 1 : 0);
  if (!weights) return std::nullopt;
  if (by_columns) weights = transposed(*weights);
  Rewrite rewrite{fusion.node->op, {x}, {}, fusion.node->attrs};
  if (!conv) rewrite.attrs["transB"] = int64_t{1};
  const std::string& name = fusion.node->name;
  std::optional<Tensor> bias;
  if (input_of(*fusion.node, 2) != nullptr) {
    bias = integer_bias(*fusion.node->inputs[2], *x.quant, *weights, weights->shape()[0]);
    if (!bias) return std::nullopt;
  }
  rewrite.others.push_back(fusion.graph.add_constant(name + ".weights", *std::move(weights)));
  if (bias) rewrite.others.push_back(fusion.graph.add_constant(name + ".bias", *std::move(bias)));
  return rewrite;
}

// Every input is an activation of the result's scale: tabulate.cc has given it to those of others.
std::optional<Rewrite> joined(const Fusion& fusion) {
  Rewrite rewrite{fusion.node->op, {}, {}, fusion.node->attrs};
  for (size_t i = 0; i < fusion.node->inputs.size(); ++i) {
    rewrite.quantized.push_back(fusion.activation_operand(i));
    const Operand& operand = rewrite.quantized.back();
    if (operand.value == nullptr || *operand.quant != *fusion.to) return std::nullopt;
  }
  return rewrite;
}

// Every input is an activation with a scale of its own.
std::optional<Rewrite> scaled(const Fusion& fusion) {
  Rewrite rewrite{fusion.node->op, {}, {}, fusion.node->attrs};
  for (size_t i = 0; i < fusion.node->inputs.size(); ++i) {
    rewrite.quantized.push_back(fusion.activation_operand(i));
    if (rewrite.quantized.back().value == nullptr) return std::nullopt;
  }
  return rewrite;
}

// A mean over the pixels has scales of its own on both sides, as reduce_mean has.
std::optional<Rewrite> global_mean(const Fusion& fusion) {
  const Operand x = fusion.activation_operand(0);
  if (x.value == nullptr || x.value->type.tensor.rank() < 3) return std::nullopt;
  const bool nhwc = attr_of<std::string>(*fusion.node, "layout") == "nhwc";
  Ints axes;
  for (int64_t i = 1; i < x.value->type.tensor.rank() - 1; ++i) axes.push_back(nhwc ? i : i + 1);
  return Rewrite{"reduce_mean",
                 {x},
                 {fusion.graph.add_constant("axes", Tensor::of_ints(axes))},
                 {{"keepdims", int64_t{1}}}};
}

std::optional<Rewrite> mean(const Fusion& fusion) {
  const Operand x = fusion.activation_operand(0);
  if (x.value == nullptr || constant_of(*fusion.node, 1) == nullptr) return std::nullopt;
  return Rewrite{"reduce_mean", {x}, {fusion.node->inputs[1]}, fusion.node->attrs};
}

// In the scale that TFLite's softmax gives, and along the last axis, as it goes.
std::optional<Rewrite> probabilities(const Fusion& fusion) {
  const Operand x = fusion.activation_operand(0);
  if (x.value == nullptr || x.value->type.tensor.rank() < 1) return std::nullopt;
  const int64_t axis = attr_of<int64_t>(*fusion.node, "axis");
  const bool last = axis == -1 || axis == x.value->type.tensor.rank() - 1;
  const bool bytes = fusion.dtype() == DType::I8 || fusion.dtype() == DType::U8;
  const int32_t lowest = fusion.dtype() == DType::I8 ? -128 : 0;
  const bool of_tflite = fusion.to->scale() == 1.0F / 256 && fusion.to->zero_point() == lowest;
  if (!last || !bytes || !of_tflite) return std::nullopt;
  return Rewrite{"softmax", {x}, {}, fusion.node->attrs};
}

// Operators that need the same scale on both sides.
std::optional<Rewrite> unscaled(const Fusion& fusion) {
  const Operand x = fusion.activation_operand(0);
  if (x.value == nullptr || *x.quant != *fusion.to) return std::nullopt;
  const auto& inputs = fusion.node->inputs;
  return Rewrite{fusion.node->op, {x}, {inputs.begin() + 1, inputs.end()}, fusion.node->attrs};
}

std::optional<Rewrite> rewrite_of(const Fusion& fusion) {
  const std::string& op = fusion.node->op;
  if (op == "conv" || op == "gemm") return weighted(fusion);
  if (op == "concat") return joined(fusion);
  if (op == "softmax") return probabilities(fusion);
  static const std::set<std::string_view> kScaled = {"add", "sub", "mul"};
  if (kScaled.contains(op)) return scaled(fusion);
  if (op == "global_average_pool") return global_mean(fusion);
  if (op == "reduce_mean") return mean(fusion);
  static const std::set<std::string_view> kUnscaled = {
      "average_pool", "depth_to_space", "flatten",   "max_pool", "reshape",
      "slice",        "squeeze",        "transpose", "unsqueeze"};
  const bool nearest = op == "resize" && attr_of<std::string>(*fusion.node, "mode") == "nearest";
  if (nearest || kUnscaled.contains(op)) return unscaled(fusion);
  return std::nullopt;
}

std::optional<Fusion> find_fusion(Graph& graph, Node* quantize) {
  if (quantize->op != "quantize_linear") return std::nullopt;
  const TensorType& type = quantize->outputs[0]->type.tensor;
  Quant to = params_of(*quantize);
  Value* from = quantize->inputs[0];
  if (to == nullptr || !to->per_tensor() || !kQuantized.contains(type.dtype) || !type.known()) {
    return std::nullopt;
  }
  if (!read_as_quantized(*quantize->outputs[0])) return std::nullopt;
  Node* node = from->producer;
  Node* activation = nullptr;
  if (node != nullptr && (node->op == "relu" || node->op == "clip") && read_once(graph, *from)) {
    activation = node;
    from = activation->inputs[0];
    node = from->producer;
  }
  if (node == nullptr || node->outputs.size() != 1 || !read_once(graph, *from)) {
    return std::nullopt;
  }
  // An own activation attribute, or nothing to say one with.
  const bool fuses = node->op == "conv" || node->op == "gemm" || node->op == "add" ||
                     node->op == "sub" || node->op == "mul";
  if (activation != nullptr && !fuses) return std::nullopt;
  if (fuses && !attr_of<std::string>(*node, "activation").empty()) return std::nullopt;
  return Fusion{graph, quantize, activation, node, std::move(to)};
}

bool fuse(Graph& graph, Node* quantize) {
  const auto fusion = find_fusion(graph, quantize);
  if (!fusion) return false;
  const auto activation = integer_activation(fusion->activation);
  if (!activation) return false;
  auto rewrite = rewrite_of(*fusion);
  if (!rewrite) return false;
  if (!activation->empty()) rewrite->attrs["activation"] = *activation;
  TensorType type = quantize->outputs[0]->type.tensor;
  type.quant = fusion->to;
  std::vector<Value*> inputs;
  for (const Operand& operand : rewrite->quantized) {
    operand.value->type.tensor.quant = operand.quant;
    inputs.push_back(operand.value);
  }
  inputs.insert(inputs.end(), rewrite->others.begin(), rewrite->others.end());
  Node* fused = graph.add_node(rewrite->op, std::move(inputs), {ValueType(type)},
                               std::move(rewrite->attrs), fusion->node->name, quantize);
  std::vector<Node*> old{fusion->node};
  if (fusion->activation != nullptr) old.push_back(fusion->activation);
  old.push_back(quantize);
  take_place(graph, old, fused, quantize->outputs[0], kPass);
  return true;
}

// What still reads a value that is quantized now takes its scale from the type.
bool take_scale_from_type(Graph& graph, Node* dequantize) {
  if (dequantize->op != "dequantize_linear") return false;
  Value* from = dequantize->inputs[0];
  if (!from->type.tensor.quantized() || from->constant) return false;
  if (dequantize->outputs[0]->users.empty() && !graph.is_output(dequantize->outputs[0])) {
    graph.erase(dequantize, kPass);
    return true;
  }
  Node* by = graph.add_node("requantize", {from}, {dequantize->outputs[0]->type}, {},
                            dequantize->name, dequantize);
  take_place(graph, {dequantize}, by, dequantize->outputs[0], kPass);
  return true;
}

int run(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) fused += fuse(graph, node) ? 1 : 0;
  for (Node* node : graph.nodes()) fused += take_scale_from_type(graph, node) ? 1 : 0;
  if (fused == 0) return 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "dequantize_linear") erase_if_unread(graph, node, kPass);
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_qdq = {
    .name = kPass,
    .summary = "Turns operators between dequantize and quantize into integer ones.",
    .stage = PassStage::Engine,
    .run = run,
};

}  // namespace hone
