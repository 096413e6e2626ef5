#include "hone/model/onnx_lower.h"

#include <algorithm>
#include <numeric>

#include "hone/model/split_fused.h"
#include "hone/ops/movement/transpose_tflite.h"  // permuted, transposed
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr std::string_view kPass = "lower_to_onnx";
constexpr size_t kResidual = 3;  // Of conv and gemm.

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
  if (node.op == "qlinear_conv") return input == 3;
  return input == 1 &&
         (node.op == "conv" || node.op == "conv_transpose" || node.op == "conv_integer");
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
  const int64_t* groups = node.find_attr<int64_t>("group");
  if (node.op == "conv_transpose" && groups != nullptr && *groups != 1) {
    return unsupported("node '", node.name, "': an nhwc conv_transpose in ", *groups, " groups");
  }
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

// Equal parts are counted: by their outputs alone they were told before operator set 18.
void count_parts(Node& node) {
  const bool equal = node.inputs.size() < 2 || node.inputs[1] == nullptr;
  if (node.op == "split" && equal) node.attrs["num_outputs"] = std::ssize(node.outputs);
}

// A list for all axes, of which `given` has those in `axes`; `others` has the rest.
template <class T>
Tensor for_all_axes(const Tensor& given, const Ints& axes, std::vector<T> others) {
  const auto values = given.data<T>();
  const auto rank = static_cast<int64_t>(others.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    others[static_cast<size_t>(axes[i] < 0 ? axes[i] + rank : axes[i])] = values[i];
  }
  return Tensor::of<T>({rank}, others);
}

// Resizes of some axes as ones of all: few readers of ONNX know the attribute `axes`.
void resize_all_axes(Graph& graph, Node& node) {
  constexpr size_t kRoi = 1, kScales = 2, kSizes = 3;
  const Ints* found = node.op == "resize" ? node.find_attr<Ints>("axes") : nullptr;
  if (found == nullptr || !node.inputs[0]->type.tensor.known()) return;
  const TensorType& x = node.inputs[0]->type.tensor;
  const std::string* policy = node.find_attr<std::string>("keep_aspect_ratio_policy");
  if (policy != nullptr && *policy != "stretch") return;
  const Ints axes = *found;
  const bool inside =
      std::ranges::all_of(axes, [&](int64_t axis) { return axis >= -x.rank() && axis < x.rank(); });
  if (!inside) return;
  const auto input = [&](size_t i) { return i < node.inputs.size() ? node.inputs[i] : nullptr; };
  const auto listed = [&](size_t i) {
    const Value* value = input(i);
    return value != nullptr && value->constant &&
           value->constant->dtype() == (i == kSizes ? DType::I64 : DType::F32) &&
           value->constant->elements() == std::ssize(axes);
  };
  const size_t list = listed(kSizes) ? kSizes : kScales;
  if (!listed(list) || input(list == kSizes ? kScales : kSizes) != nullptr) return;
  if (input(kRoi) != nullptr) return;
  const Tensor& given = *node.inputs[list]->constant;
  const std::vector<float> ones(x.shape.size(), 1.0f);
  Tensor all = list == kSizes ? for_all_axes<int64_t>(given, axes, x.shape)
                              : for_all_axes<float>(given, axes, ones);
  graph.set_input(&node, list, graph.add_constant(node.inputs[list]->name, std::move(all)));
  node.attrs.erase("axes");
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

// The type that an input is dequantized from; none when it stays as it is. What must have the type
// of a quantized input without a scale of its own, as the value of a pad, is in that input's steps.
std::optional<TensorType> quantized_type(const Node& node, size_t input) {
  const Value* value = node.inputs[input];
  if (value == nullptr) return std::nullopt;
  TensorType type = value->type.tensor;
  if (type.quantized()) return type;
  const OpDef* op = find_op(node.op);
  if (op == nullptr || op->inputs.empty()) return std::nullopt;
  const auto var_of = [&](size_t i) { return op->inputs[std::min(i, op->inputs.size() - 1)].var; };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* other = node.inputs[i];
    if (var_of(input) == 0 || other == nullptr || var_of(i) != var_of(input)) continue;
    const TensorType& scaled = other->type.tensor;
    if (!scaled.quantized() || !scaled.quant->per_tensor() || scaled.dtype != type.dtype) continue;
    type.quant = scaled.quant;
    return type;
  }
  return std::nullopt;
}

Status wrap_quantized(Graph& graph, Node& node) {
  std::vector<std::optional<TensorType>> types;  // Found first: the inputs change below.
  for (size_t i = 0; i < node.inputs.size(); ++i) types.push_back(quantized_type(node, i));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!types[i]) continue;
    const TensorType type = *types[i];
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
  for (const Node* node : graph.nodes()) {
    for (const auto& [key, attr] : node->attrs) {
      const auto* body = std::get_if<std::shared_ptr<Graph>>(&attr);
      if (body != nullptr) HONE_RETURN_IF_ERROR(lower_to_onnx(**body).in(key));
    }
  }
  // Transposes first, so that what is split off stays beside its operator, where readers look.
  for (Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(to_channels_first(graph, *node));
  for (Node* node : graph.nodes()) split_activation(graph, *node);
  for (Node* node : graph.nodes()) split_residual(graph, *node);
  for (Node* node : graph.nodes()) count_parts(*node);
  for (Node* node : graph.nodes()) resize_all_axes(graph, *node);
  for (Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(wrap_quantized(graph, *node));
  remove_conversions(graph);
  strip_quantization(graph);
  graph.remove_unused_constants();
  // No check but an error: a quantized tensor may fit where its float twin is too large.
  return verify(graph);
}

}  // namespace hone
