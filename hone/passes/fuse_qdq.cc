// Turns operators between dequantize_linear and quantize_linear into operators on quantized types.
//
//   %xf = dequantize_linear(%x, sx, zx)
//   %wf = dequantize_linear(w, sw, 0) axis=0
//   %yf = conv(%xf, %wf, %bf)               =>   %y = conv(%x, w, b)  on types with sx, sw, sy
//   %a = relu(%yf)                                    activation=relu
//   %y = quantize_linear(%a, sy, zy)
//
// as the operators' integer forms have it (op_def.h): products (the bias brought to sx * sw), sums and
// products of elements, also with constants that are dequantized, averages, softmax where its result
// has the scale of TFLite's, and what only moves or compares values when all have the same scale;
// functions of one value are tables by now
// (tabulate.cc). Results are TFLite's: they differ from those of the float graph by a unit in the
// last place now and then. A quantized value that a dequantize_linear still reads goes through
// requantize. Leaves alone what has computed scales, blocks of scales, or other readers than
// dequantize_linear.

#include <algorithm>
#include <cmath>

#include "hone/ops/elementwise/cast.h"
#include "hone/ops/quant/integer.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kFuseQdqPass = "fuse_qdq";
struct Fusion {
  Graph& graph;
  Node* quantize;    // Where the result is quantized,
  Node* activation;  // after this, or null,
  Node* node;        // which is applied to what this computes.
  Quant to;

  DType dtype() const { return quantize->outputs[0]->type.tensor.dtype; }

  // An operand of the result's element type, with one scale. No value when it is another.
  QuantizedOperand activation_operand(size_t input) const {
    QuantizedOperand operand = operand_of(input_of(*node, input));
    const bool fits = operand.value != nullptr && operand.quant->per_tensor() &&
                      !operand.value->constant && operand.value->type.tensor.dtype == dtype();
    return fits ? std::move(operand) : QuantizedOperand{};
  }

  // All inputs as such, or as constants of that type with one scale; at least one is computed. Empty when
  // one is neither.
  std::vector<QuantizedOperand> operands() const {
    std::vector<QuantizedOperand> all;
    bool computed = false;
    for (const Value* input : node->inputs) {
      QuantizedOperand operand = operand_of(input);
      if (operand.value == nullptr || !operand.quant->per_tensor() ||
          operand.value->type.tensor.dtype != dtype()) {
        return {};
      }
      computed = computed || !operand.value->constant;
      all.push_back(std::move(operand));
    }
    return computed ? all : std::vector<QuantizedOperand>();
  }

  // Constants of a type that has their scale: those of the file may have other readers.
  void give_scales(std::vector<QuantizedOperand>& all) const {
    for (QuantizedOperand& operand : all) {
      if (!operand.value->constant) continue;
      operand.value = graph.add_constant(operand.value->name + ".scaled",
                                         operand.value->constant->with_quantization(operand.quant));
    }
  }

  // Weights quantized along axis `channels` or as a whole, as int8 without zero point: 4-bit ones
  // are widened, and uint8 ones around 128 moved. Those with one other zero point stay, for
  // activations of their type.
  std::optional<Tensor> weight_operand(size_t input, int channels) const {
    const QuantizedOperand operand = operand_of(input_of(*node, input));
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

// The bias in units of x's scale times w's, as int32. Nothing when it is not constant or too large,
// or when those units are so coarse that rounding to them would move the result by half a step of
// its scale `to`.
std::optional<Tensor> integer_bias(const Value& bias, const Quantization& x, const Tensor& weights,
                                   int64_t channels, double to) {
  std::vector<double> real;
  if (bias.constant) {
    real = to_doubles(*bias.constant);
  } else if (const QuantizedOperand operand = operand_of(&bias);
             operand.value && operand.value->constant) {
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
    if (std::abs(steps * unit - real[i]) > to / 2) return std::nullopt;
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
  std::vector<QuantizedOperand> quantized;  // The first inputs,
  std::vector<Value*> others;               // and those after them.
  Attrs attrs;
};

// Integer kernels bring sums to the scale of the result in 32 bits, TFLite's as well as these: where
// that scale is so small that a sum may need more, and wrap, floats say what saturates.
constexpr double kMostScaled = 0x1p30;

// How many values the elements have.
double values_of(DType dtype) {
  return std::exp2(8.0 * static_cast<double>(bytes_of(dtype, 1)));
}

// Of products with the weights, whose channels are the first axis, for every channel.
bool weighted_sums_fit(const Fusion& fusion, const Quantization& x, const Tensor& weights,
                       const std::optional<Tensor>& bias) {
  const std::vector<int64_t> values = to_ints(weights);
  const std::vector<int64_t> biases = bias ? to_ints(*bias) : std::vector<int64_t>();
  const auto channels = static_cast<size_t>(weights.shape()[0]);
  const Quantization& quant = *weights.type().quant;
  for (size_t c = 0, i = 0; c < channels; ++c) {
    double sum = bias ? std::abs(static_cast<double>(biases[c])) : 0;
    for (const size_t end = (c + 1) * values.size() / channels; i < end; ++i) {
      sum += values_of(fusion.dtype()) *
             std::abs(static_cast<double>(values[i]) - quant.zero_point(c));
    }
    const double factor = double{x.scale()} * quant.scale(c) / fusion.to->scale();
    if (factor >= 1 && sum * factor >= kMostScaled) return false;
  }
  return true;
}

// Of elements, in sums, products and means.
bool scaled_elements_fit(const Fusion& fusion, const std::vector<QuantizedOperand>& operands) {
  constexpr double kMostShifted = 0x1p15;  // What sums of two scales have room for.
  const double range = values_of(fusion.dtype()), to = fusion.to->scale();
  double largest = 0, product = 1;
  for (const QuantizedOperand& operand : operands) {
    largest = std::max(largest, range * operand.quant->scale());
    product *= range * operand.quant->scale();
  }
  const std::string& op = fusion.node->op;
  if (op == "add" || op == "sub") return 2 * largest < kMostShifted * range * to;
  return (op == "mul" ? product : largest) < kMostScaled * to;
}

std::optional<Rewrite> weighted(const Fusion& fusion) {
  const bool conv = fusion.node->op == "conv";
  const bool by_columns = !conv && attr_of<int64_t>(*fusion.node, "transB") == 0;
  if (!conv &&
      (attr_of<int64_t>(*fusion.node, "transA") != 0 ||
       attr_of<double>(*fusion.node, "alpha") != 1 || attr_of<double>(*fusion.node, "beta") != 1)) {
    return std::nullopt;
  }
  const QuantizedOperand x = fusion.activation_operand(0);
  if (x.value == nullptr) return std::nullopt;
  std::optional<Tensor> weights = fusion.weight_operand(1, by_columns ? 1 : 0);
  if (!weights) return std::nullopt;
  if (by_columns) weights = transposed(*weights);
  Rewrite rewrite{fusion.node->op, {x}, {}, fusion.node->attrs};
  if (!conv) rewrite.attrs["transB"] = int64_t{1};
  const std::string& name = fusion.node->name;
  std::optional<Tensor> bias;
  if (input_of(*fusion.node, 2) != nullptr) {
    bias = integer_bias(*fusion.node->inputs[2], *x.quant, *weights, weights->shape()[0],
                        fusion.to->scale());
    if (!bias) return std::nullopt;
  }
  if (!weighted_sums_fit(fusion, *x.quant, *weights, bias)) return std::nullopt;
  rewrite.others.push_back(fusion.graph.add_constant(name + ".weights", *std::move(weights)));
  if (bias) rewrite.others.push_back(fusion.graph.add_constant(name + ".bias", *std::move(bias)));
  return rewrite;
}

// Every input is of the result's scale: tabulate.cc has given it to activations of others.
std::optional<Rewrite> joined(const Fusion& fusion) {
  Rewrite rewrite{fusion.node->op, fusion.operands(), {}, fusion.node->attrs};
  const auto fits = [&](const QuantizedOperand& operand) { return *operand.quant == *fusion.to; };
  if (rewrite.quantized.empty() || !std::ranges::all_of(rewrite.quantized, fits)) {
    return std::nullopt;
  }
  fusion.give_scales(rewrite.quantized);
  return rewrite;
}

// Every input has a scale of its own.
std::optional<Rewrite> scaled(const Fusion& fusion) {
  const bool bytes = fusion.dtype() == DType::I8 || fusion.dtype() == DType::U8;
  if (fusion.node->op == "prelu" && !bytes) return std::nullopt;
  Rewrite rewrite{fusion.node->op, fusion.operands(), {}, fusion.node->attrs};
  if (rewrite.quantized.empty() || !scaled_elements_fit(fusion, rewrite.quantized)) {
    return std::nullopt;
  }
  fusion.give_scales(rewrite.quantized);
  return rewrite;
}

// A mean over the pixels has scales of its own on both sides, as reduce_mean has.
std::optional<Rewrite> global_mean(const Fusion& fusion) {
  const QuantizedOperand x = fusion.activation_operand(0);
  if (x.value == nullptr || x.value->type.tensor.rank() < 3 || !scaled_elements_fit(fusion, {x})) {
    return std::nullopt;
  }
  const bool nhwc = attr_of<std::string>(*fusion.node, "layout") == "nhwc";
  Ints axes;
  for (int64_t i = 1; i < x.value->type.tensor.rank() - 1; ++i) axes.push_back(nhwc ? i : i + 1);
  return Rewrite{"reduce_mean",
                 {x},
                 {fusion.graph.add_constant("axes", Tensor::of_ints(axes))},
                 {{"keepdims", int64_t{1}}}};
}

// Over axes that are known, or over all where none are named.
std::optional<Rewrite> mean(const Fusion& fusion) {
  const Node& node = *fusion.node;
  const QuantizedOperand x = fusion.activation_operand(0);
  if (x.value == nullptr || !scaled_elements_fit(fusion, {x})) return std::nullopt;
  if (constant_of(node, 1) != nullptr) {
    return Rewrite{"reduce_mean", {x}, {node.inputs[1]}, node.attrs};
  }
  if (input_of(node, 1) != nullptr || attr_of<int64_t>(node, "noop_with_empty_axes") != 0) {
    return std::nullopt;
  }
  Ints axes;
  for (int64_t i = 0; i < x.value->type.tensor.rank(); ++i) axes.push_back(i);
  return Rewrite{
      "reduce_mean", {x}, {fusion.graph.add_constant("axes", Tensor::of_ints(axes))}, node.attrs};
}

// In the scale that TFLite's softmax gives, and along the last axis, as it goes.
std::optional<Rewrite> probabilities(const Fusion& fusion) {
  const QuantizedOperand x = fusion.activation_operand(0);
  if (x.value == nullptr || x.value->type.tensor.rank() < 1) return std::nullopt;
  const int64_t axis = attr_of<int64_t>(*fusion.node, "axis");
  const bool last = axis == -1 || axis == x.value->type.tensor.rank() - 1;
  const bool bytes = fusion.dtype() == DType::I8 || fusion.dtype() == DType::U8;
  const int32_t lowest = fusion.dtype() == DType::I8 ? -128 : 0;
  const bool of_tflite = fusion.to->scale() == 1.0F / 256 && fusion.to->zero_point() == lowest;
  if (!last || !bytes || !of_tflite) return std::nullopt;
  return Rewrite{"softmax", {x}, {}, fusion.node->attrs};
}

// What a pad puts around, zero when it does not say, in units of the scale.
std::optional<Tensor> fill_of(const Node& pad, const Quantization& quant, DType dtype) {
  const Value* given = input_of(pad, 2);
  const std::optional<double> real = given == nullptr ? 0 : number_of(given);
  if (!real || std::isnan(*real)) return std::nullopt;
  const IntRange range = range_of(dtype);
  const double stored = std::nearbyint(*real / quant.scale()) + quant.zero_point();
  const auto whole = static_cast<int32_t>(std::clamp<double>(stored, range.low, range.high));
  auto fill = cast_to(Tensor::of<int32_t>({}, {whole}), dtype, true);
  HONE_CHECK(fill.ok(), "integers of a type's range become that type");
  return *std::move(fill);
}

// Operators that need the same scale on both sides.
std::optional<Rewrite> unscaled(const Fusion& fusion) {
  const Node& node = *fusion.node;
  if (node.op == "resize" && attr_of<std::string>(node, "mode") != "nearest") return std::nullopt;
  const QuantizedOperand x = fusion.activation_operand(0);
  if (x.value == nullptr || *x.quant != *fusion.to) return std::nullopt;
  Rewrite rewrite{node.op, {x}, {node.inputs.begin() + 1, node.inputs.end()}, node.attrs};
  if (node.op != "pad") return rewrite;
  auto fill = fill_of(node, *x.quant, fusion.dtype());
  if (!fill) return std::nullopt;
  rewrite.others.resize(std::max<size_t>(2, rewrite.others.size()));
  rewrite.others[1] = fusion.graph.add_constant(node.name + ".fill", *std::move(fill));
  return rewrite;
}

std::optional<Rewrite> rewrite_of(const Fusion& fusion) {
  const Node& node = *fusion.node;
  switch (integer_form(node)) {
    case IntegerForm::Weights:
      // A matmul with weights is a gemm in the next round.
      return node.op == "matmul" ? std::nullopt : weighted(fusion);
    case IntegerForm::Scaled:
      return scaled(fusion);
    case IntegerForm::Mean:
      return kind_of(node) == OpKind::Pool ? global_mean(fusion) : mean(fusion);
    case IntegerForm::SameScale:
      return unscaled(fusion);
    case IntegerForm::Joined:
      return joined(fusion);
    case IntegerForm::Softmax:
      return probabilities(fusion);
    case IntegerForm::None:
      break;
  }
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
  const IntegerForm form = integer_form(*node);
  const bool clamps = (form == IntegerForm::Weights || form == IntegerForm::Scaled) &&
                      node->op != "prelu";  // Which is one.
  if ((activation != nullptr && !clamps) || (clamps && activated(*node))) return std::nullopt;
  return Fusion{graph, quantize, activation, node, std::move(to)};
}

bool fuse_pairs_around(Graph& graph, Node* quantize) {
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
  for (const QuantizedOperand& operand : rewrite->quantized) {
    operand.value->type.tensor.quant = operand.quant;
    inputs.push_back(operand.value);
  }
  inputs.insert(inputs.end(), rewrite->others.begin(), rewrite->others.end());
  Node* fused = graph.add_node(rewrite->op, std::move(inputs), {ValueType(type)},
                               std::move(rewrite->attrs), fusion->node->name, quantize);
  std::vector<Node*> old{fusion->node};
  if (fusion->activation != nullptr) old.push_back(fusion->activation);
  old.push_back(quantize);
  take_place(graph, old, fused, quantize->outputs[0], kFuseQdqPass);
  return true;
}

// The quantize_linear behind every result, or nothing when one is read otherwise or is of another
// scale than `to`.
std::vector<Node*> quantized_parts(const Graph& graph, const Node& node,
                                   const QuantizedOperand& to) {
  std::vector<Node*> parts;
  for (const Value* output : node.outputs) {
    if (!read_once(graph, *output)) return {};
    Node* quantize = output->users[0].node;
    if (quantize->op != "quantize_linear" || output->users[0].input != 0) return {};
    const Quant quant = params_of(*quantize);
    const Value& part = *quantize->outputs[0];
    const bool same = quant != nullptr && *quant == *to.quant &&
                      part.type.tensor.dtype == to.value->type.tensor.dtype;
    if (!same || !part.type.tensor.known() || !read_as_quantized(part)) return {};
    parts.push_back(quantize);
  }
  return parts;
}

std::vector<Node*> nodes_of_several_results(const Graph& graph) {
  std::vector<Node*> nodes = graph.nodes();
  std::erase_if(nodes, [](const Node* node) { return node->outputs.size() < 2; });
  return nodes;
}

// An operator of several results, all of its operand's scale: split.
bool fuse_parts(Graph& graph, Node* node) {
  if (integer_form(*node) != IntegerForm::SameScale) return false;
  const QuantizedOperand x = operand_of(input_of(*node, 0));
  if (x.value == nullptr || x.value->constant || !x.quant->per_tensor() ||
      !kQuantized.contains(x.value->type.tensor.dtype)) {
    return false;
  }
  std::vector<Node*> old = quantized_parts(graph, *node, x);
  if (old.empty()) return false;
  x.value->type.tensor.quant = x.quant;
  std::vector<Value*> inputs = node->inputs;
  inputs[0] = x.value;
  std::vector<ValueType> types;
  for (const Node* quantize : old) {
    types.push_back(quantize->outputs[0]->type);
    types.back().tensor.quant = x.quant;
  }
  Node* fused =
      graph.add_node(node->op, std::move(inputs), std::move(types), node->attrs, node->name, node);
  std::vector<std::pair<Value*, Value*>> uses;
  std::vector<std::string> names;
  for (size_t i = 0; i < old.size(); ++i) {
    uses.emplace_back(old[i]->outputs[0], fused->outputs[i]);
    names.push_back(old[i]->outputs[0]->name);
  }
  old.insert(old.begin(), node);
  graph.replace(old, std::span(&fused, 1), uses, kFuseQdqPass);
  for (size_t i = 0; i < names.size(); ++i) graph.rename(fused->outputs[i], names[i]);
  return true;
}

// What still reads a value that is quantized now takes its scale from the type.
bool take_scale_from_type(Graph& graph, Node* dequantize) {
  if (dequantize->op != "dequantize_linear") return false;
  Value* from = dequantize->inputs[0];
  if (!from->type.tensor.quantized() || from->constant) return false;
  if (dequantize->outputs[0]->users.empty() && !graph.is_output(dequantize->outputs[0])) {
    graph.erase(dequantize, kFuseQdqPass);
    return true;
  }
  Node* by = graph.add_node("requantize", {from}, {dequantize->outputs[0]->type}, {},
                            dequantize->name, dequantize);
  take_place(graph, {dequantize}, by, dequantize->outputs[0], kFuseQdqPass);
  return true;
}

int run_fuse_qdq(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) fused += fuse_pairs_around(graph, node) ? 1 : 0;
  for (Node* node : nodes_of_several_results(graph)) fused += fuse_parts(graph, node) ? 1 : 0;
  for (Node* node : graph.nodes()) fused += take_scale_from_type(graph, node) ? 1 : 0;
  if (fused == 0) return 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "dequantize_linear") erase_if_unread(graph, node, kFuseQdqPass);
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_qdq = {
    .name = kFuseQdqPass,
    .summary = "Turns operators between dequantize and quantize into integer ones.",
    .stage = PassStage::Engine,
    .run = run_fuse_qdq,
};

}  // namespace hone
