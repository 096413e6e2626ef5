// Folds what scales and shifts channels by constants into the weights before it.
//
//   %y = conv(%x, w, b)                                    %z = conv(%x, w', b')
//   %z = batch_norm(%y, gamma, beta, mean, var)       =>
//
//   s = gamma / sqrt(var + epsilon)    w'[o, ...] = w[o, ...] * s[o]    b' = (b - mean) * s + beta
//
// The same for conv_transpose and gemm, and for add, sub, mul and div with a constant that is one
// number or one per channel. Leaves the pair alone when %y has a second reader, which still needs
// the value before, when the weights are computed at run time or quantized, or when an activation
// stands between.

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr std::string_view kFoldBatchNormPass = "fold_batch_norm";
constexpr size_t kWeight = 1, kBias = 2, kResidual = 3;

// Channel c becomes channel c * scale[c] + shift[c].
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

// Where the channels of the node's output are.
size_t channel_axis(const Node& node) {
  if (node.op == "gemm") return 1;
  const bool nhwc = attr_of<std::string>(node, "layout") == "nhwc";
  return nhwc ? node.outputs[0]->type.tensor.shape.size() - 1 : 1;
}

// A constant that broadcasts to `shape` along all axes but `axis`, as one number per channel.
std::optional<std::vector<double>> per_channel(const Tensor& constant, const Shape& shape,
                                               size_t axis) {
  if (!kFloat.contains(constant.dtype()) || constant.shape().size() > shape.size()) return {};
  const size_t missing = shape.size() - constant.shape().size();
  for (size_t i = 0; i < constant.shape().size(); ++i) {
    if (constant.shape()[i] != 1 && i + missing != axis) return {};
  }
  const auto channels = static_cast<size_t>(shape[axis]);
  std::vector<double> values = to_doubles(constant);
  if (values.size() == 1) values.resize(channels, values[0]);
  if (values.size() != channels) return {};
  return values;
}

std::optional<Affine> affine_of_norm(const Node& norm, const Shape& shape, size_t axis) {
  if (norm.outputs.size() != 1 || attr_of<int64_t>(norm, "training_mode") != 0) return {};
  const bool nhwc = attr_of<std::string>(norm, "layout") == "nhwc";
  if (axis != (nhwc ? shape.size() - 1 : 1)) return {};
  std::vector<std::vector<double>> parameters;
  for (size_t i = 1; i < norm.inputs.size(); ++i) {
    const Tensor* constant = constant_of(norm, i);
    if (constant == nullptr) return {};
    parameters.push_back(to_doubles(*constant));
  }
  const double epsilon = attr_of<double>(norm, "epsilon");
  Affine affine;
  for (size_t c = 0; c < parameters[0].size(); ++c) {
    const double scale = parameters[0][c] / std::sqrt(parameters[3][c] + epsilon);
    affine.scale.push_back(scale);
    affine.shift.push_back(parameters[1][c] - parameters[2][c] * scale);
  }
  return affine;
}

std::optional<Affine> affine_of_binary(const Node& node, size_t data, const Shape& shape,
                                       size_t axis) {
  const Tensor* constant = constant_of(node, 1 - data);
  if (constant == nullptr) return {};
  const auto values = per_channel(*constant, shape, axis);
  if (!values || (node.op == "div" && data == 1)) return {};
  Affine affine;
  for (const double value : *values) {
    const bool scales = node.op == "mul" || node.op == "div";
    const double sign = node.op == "sub" && data == 1 ? -1 : 1;
    affine.scale.push_back(scales ? (node.op == "mul" ? value : 1 / value) : sign);
    affine.shift.push_back(scales ? 0 : (node.op == "sub" && data == 0 ? -value : value));
  }
  return affine;
}

// Which output channel a weight contributes to: weights lie as [...][channels][inner], and where
// the inputs come first, so many of them per group.
struct WeightOrder {
  size_t inner;
  size_t channels;
  size_t inputs_per_group;

  size_t channel_of(size_t index) const {
    const size_t row = index / inner;
    return row % channels + row / channels / inputs_per_group * channels;
  }
};

WeightOrder order_of_weights(const Node& node, const Shape& shape) {
  const auto extent = [&](size_t axis) { return static_cast<size_t>(shape[axis]); };
  const auto count = static_cast<size_t>(elements(shape));
  if (node.op == "gemm" && attr_of<int64_t>(node, "transB") == 0) return {1, extent(1), extent(0)};
  const bool inputs_first =
      node.op == "conv_transpose" && attr_of<std::string>(node, "layout") != "nhwc";
  if (!inputs_first) return {count / extent(0), extent(0), 1};
  const auto groups = static_cast<size_t>(attr_of<int64_t>(node, "group"));
  return {count / extent(0) / extent(1), extent(1), extent(0) / groups};
}

Tensor tensor_of(DType dtype, Shape shape, const std::vector<double>& values) {
  Tensor tensor(TensorType{dtype, std::move(shape)});
  dispatch<float, double>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = tensor.mutable_data<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(values[i]);
  });
  return tensor;
}

// The bias as one number per channel; zeros when there is none.
std::optional<std::vector<double>> bias_of(const Node& node, const Shape& shape, size_t axis) {
  const auto channels = static_cast<size_t>(shape[axis]);
  if (input_of(node, kBias) == nullptr) return std::vector<double>(channels);
  const Tensor* bias = constant_of(node, kBias);
  if (bias == nullptr) return {};
  if (node.op != "gemm") return to_doubles(*bias);
  auto values = per_channel(*bias, shape, axis);
  if (!values) return {};
  for (double& value : *values) value *= attr_of<double>(node, "beta");
  return values;
}

// The node that makes input `data` of `reader`, when its weights can take up constants.
Node* weighted(const Graph& graph, const Node& reader, size_t data) {
  for (const std::string_view op : {"conv", "conv_transpose", "gemm"}) {
    Node* node = made_for(graph, input_of(reader, data), op);
    if (node == nullptr || !makes_floats(*node)) continue;
    const Tensor* weight = constant_of(*node, kWeight);
    const DType dtype = node->outputs[0]->type.tensor.dtype;
    const bool plain = weight != nullptr && weight->dtype() == dtype &&
                       (dtype == DType::F32 || dtype == DType::F64);
    const bool ends =
        attr_of<std::string>(*node, "activation").empty() && input_of(*node, kResidual) == nullptr;
    // Constants per channel do not change extents, known or not.
    const Shape& shape = node->outputs[0]->type.tensor.shape;
    const bool same = reader.outputs[0]->type.tensor.shape == shape;
    if (plain && ends && same && shape[channel_axis(*node)] != kUnknown) return node;
  }
  return nullptr;
}

void scale_weights(Graph& graph, Node& node, const std::vector<double>& scale) {
  Tensor weight = *node.inputs[kWeight]->constant;
  const WeightOrder order = order_of_weights(node, weight.shape());
  dispatch<float, double>(weight.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto values = weight.mutable_data<T>();
    for (size_t first = 0; first < values.size(); first += order.inner) {
      const double factor = scale[order.channel_of(first)];
      for (T& w : values.subspan(first, order.inner)) w = static_cast<T>(w * factor);
    }
  });
  set_constant(graph, node, kWeight, node.inputs[kWeight]->name + ".folded", std::move(weight));
}

bool fold_into(Graph& graph, Node& node, const Affine& affine) {
  const Shape& shape = node.outputs[0]->type.tensor.shape;
  auto bias = bias_of(node, shape, channel_axis(node));
  if (!bias) return false;
  for (size_t c = 0; c < bias->size(); ++c) {
    (*bias)[c] = (*bias)[c] * affine.scale[c] + affine.shift[c];
  }
  const bool scales = std::ranges::any_of(affine.scale, [](double s) { return s != 1; });
  if (scales) scale_weights(graph, node, affine.scale);
  const auto channels = static_cast<int64_t>(bias->size());
  const DType dtype = node.outputs[0]->type.tensor.dtype;
  set_constant(graph, node, kBias, node.name + ".bias.folded", tensor_of(dtype, {channels}, *bias));
  node.attrs.erase("beta");
  return true;
}

bool fold(Graph& graph, Node& reader, size_t data) {
  Node* node = weighted(graph, reader, data);
  if (node == nullptr) return false;
  const Shape& shape = node->outputs[0]->type.tensor.shape;
  const size_t axis = channel_axis(*node);
  const bool norm = reader.op == "batch_norm";
  const auto affine =
      norm ? affine_of_norm(reader, shape, axis) : affine_of_binary(reader, data, shape, axis);
  if (!affine || !fold_into(graph, *node, *affine)) return false;
  for (const char* key : {"activation", "activation_params"}) {
    if (const auto found = reader.attrs.find(key); found != reader.attrs.end()) {
      node->attrs.insert_or_assign(key, found->second);
    }
  }
  take_place(graph, {&reader}, node, reader.outputs[0], kFoldBatchNormPass);
  return true;
}

int run_fold_batch_norm(Graph& graph) {
  int folded = 0;
  for (Node* node : graph.nodes()) {
    const bool binary =
        node->op == "add" || node->op == "sub" || node->op == "mul" || node->op == "div";
    if (node->op != "batch_norm" && !binary) continue;
    if (fold(graph, *node, 0) || (binary && fold(graph, *node, 1))) ++folded;
  }
  graph.remove_unused_constants();
  return folded;
}

}  // namespace

extern const PassDef pass_fold_batch_norm = {
    .name = kFoldBatchNormPass,
    .summary = "Folds batch_norm and constant factors and terms into the weights before them.",
    .run = run_fold_batch_norm,
};

}  // namespace hone
