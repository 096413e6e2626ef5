#include "hone/zoo/builder.h"

#include <algorithm>
#include <cmath>

#include "hone/base/hash.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// Deviation of biases and of batch norm's parameters around 0 or 1: visible in every layer, but
// small beside the values.
constexpr double kBuilderSmall = 0.1;

// Rows or columns to add at the begin and at the end.
std::pair<int64_t, int64_t> pads_of(Padding padding, int64_t extent, int64_t kernel,
                                    int64_t stride) {
  switch (padding) {
    case Padding::Half:
      return {(kernel - 1) / 2, (kernel - 1) / 2};
    case Padding::Valid:
      return {0, 0};
    case Padding::Full:
      return {kernel - 1, kernel - 1};
    case Padding::Same:
      break;
  }
  const int64_t results = (extent + stride - 1) / stride;
  const int64_t missing = std::max<int64_t>(0, (results - 1) * stride + kernel - extent);
  return {missing / 2, missing - missing / 2};
}

Attrs window_attrs(const Shape& shape, Padding padding, const Ints& kernel, int64_t stride,
                   int64_t dilation = 1) {
  const auto reach = [&](int64_t extent) { return (extent - 1) * dilation + 1; };
  const auto [top, bottom] = pads_of(padding, shape[2], reach(kernel[0]), stride);
  const auto [left, right] = pads_of(padding, shape[3], reach(kernel[1]), stride);
  return {{"kernel_shape", kernel},
          {"pads", Ints{top, left, bottom, right}},
          {"strides", Ints{stride, stride}}};
}

Attrs resize_attrs(Resizing kind) {
  switch (kind) {
    case Resizing::Nearest:
      return {{"mode", std::string("nearest")},
              {"coordinate_transformation_mode", std::string("asymmetric")},
              {"nearest_mode", std::string("floor")}};
    case Resizing::Bilinear:
      return {{"mode", std::string("linear")},
              {"coordinate_transformation_mode", std::string("half_pixel")}};
    case Resizing::BilinearCorners:
      break;
  }
  return {{"mode", std::string("linear")},
          {"coordinate_transformation_mode", std::string("align_corners")}};
}

}  // namespace

int64_t round_channels(double channels) {
  const int64_t nearest = std::max<int64_t>(8, static_cast<int64_t>(channels + 4) / 8 * 8);
  return static_cast<double>(nearest) < 0.9 * channels ? nearest + 8 : nearest;
}

NetworkBuilder::NetworkBuilder(std::string_view name, uint64_t seed, size_t period)
    : weights_(seed ^ hash64(name), period) {
  graph_.name = name;
}

Value* NetworkBuilder::input(std::string_view name, Shape shape, DType dtype) {
  return graph_.add_input(name, ValueType(dtype, std::move(shape)));
}

std::vector<Value*> NetworkBuilder::add(std::string_view op, std::vector<Value*> inputs,
                                        Attrs attrs, const std::string& name, size_t outputs) {
  const OpDef* def = find_op(op);
  HONE_CHECK(def != nullptr, "no operator ", op, " for layer ", name);
  Node* node = graph_.add_node(op, std::move(inputs), std::vector<ValueType>(outputs),
                               std::move(attrs), name);
  const auto position = static_cast<int>(graph_.sources.size());
  graph_.sources.push_back(
      {name, std::string(def->onnx.empty() ? op : def->onnx[0].op_type), position});
  graph_.set_origins(node, {position});
  const Status typed = infer_node(*node, known_);
  HONE_CHECK(typed.ok(), "layer ", name, ": ", typed.error().message);
  for (const Value* output : node->outputs) {
    HONE_CHECK(output->type.tensor.known(), "layer ", name, " has type ", output->type);
    mean_squares_[output] = mean_square_after(*node);
  }
  return node->outputs;
}

// 1 for inputs and constants.
double NetworkBuilder::mean_square(const Value* value) const {
  const auto found = mean_squares_.find(value);
  return found == mean_squares_.end() ? 1 : found->second;
}

// A relu keeps half of what is spread around 0, and all of what is positive anyway: the shortcut of
// a residual block that comes from a relu.
double NetworkBuilder::mean_square_after_relu(const Value* x) const {
  const Node* sum = x->producer;
  if (sum == nullptr || sum->op != "add") return mean_square(x) / 2;
  double kept = 0;
  for (const Value* part : sum->inputs) {
    const bool positive = part->producer != nullptr && part->producer->op == "relu";
    kept += positive ? mean_square(part) : mean_square(part) / 2;
  }
  return kept;
}

// For inputs that are normal around 0; the factors are those of a deviation of 1.
double NetworkBuilder::mean_square_after(const Node& node) const {
  const double x = mean_square(node.inputs[0]);
  const std::string& op = node.op;
  const bool weighted = node.inputs.size() > 1 && node.inputs[1] && node.inputs[1]->constant;
  if (weighted && (op == "conv" || op == "gemm" || op == "matmul")) return 1;
  if (op == "layer_norm") return 1;
  if (op == "relu") return mean_square_after_relu(node.inputs[0]);
  if (op == "clip" || op == "gelu") return x / 2;
  if (op == "hard_swish") return 0.4 * x;
  if (op == "sigmoid" || op == "hard_sigmoid") return 0.26;
  if (op == "max_pool") return 1.5 * x;
  if (op == "global_average_pool" || op == "average_pool") return x / 3;  // Of a relu: the mean.
  if (op == "add") return x + (weighted ? 0 : mean_square(node.inputs[1]));
  if (op == "mul") return weighted ? x : x * mean_square(node.inputs[1]);
  return x;
}

Value* NetworkBuilder::apply(std::string_view op, std::vector<Value*> inputs,
                             const std::string& name, Attrs attrs) {
  return add(op, std::move(inputs), std::move(attrs), name)[0];
}

Value* NetworkBuilder::weight(const std::string& name, Shape shape, int64_t fan_in, const Value* x,
                              double deviation) {
  const double norm = std::sqrt(static_cast<double>(fan_in) * mean_square(x));
  return constant(name, weights_.normal(name, std::move(shape), 0, deviation / norm));
}

Value* NetworkBuilder::vector(const std::string& name, int64_t extent, double mean,
                              double deviation) {
  return constant(name, weights_.normal(name, {extent}, mean, deviation));
}

Value* NetworkBuilder::constant(const std::string& name, Tensor tensor) {
  return graph_.add_constant(name, std::move(tensor));
}

Value* NetworkBuilder::factors(const std::string& name, Shape shape, double deviation) {
  Value* value = constant(name, weights_.normal(name, std::move(shape), 0, deviation));
  mean_squares_[value] = deviation * deviation;
  return value;
}

Value* NetworkBuilder::scalar(float value) {
  Value*& known = scalars_[value];
  if (known == nullptr) known = constant(str("constant_", value), Tensor::scalar(value));
  return known;
}

Value* NetworkBuilder::conv(Value* x, const Conv& conv, const std::string& name) {
  const int64_t kernel_w = conv.kernel_w == 0 ? conv.kernel : conv.kernel_w;
  const Ints kernel = {conv.kernel, kernel_w};
  const int64_t inputs = channels(x) / conv.groups;
  Attrs attrs = window_attrs(shape(x), conv.padding, kernel, conv.stride, conv.dilation);
  attrs["group"] = conv.groups;
  if (conv.dilation != 1) attrs["dilations"] = Ints{conv.dilation, conv.dilation};
  std::vector<Value*> operands = {
      x, weight(name + ".weight", {conv.channels, inputs, conv.kernel, kernel_w},
                inputs * conv.kernel * kernel_w, x, conv.deviation)};
  if (conv.bias) operands.push_back(vector(name + ".bias", conv.channels, 0, kBuilderSmall));
  Value* y = add("conv", std::move(operands), std::move(attrs), name)[0];
  mean_squares_[y] = conv.deviation * conv.deviation;
  return y;
}

Value* NetworkBuilder::conv_transpose(Value* x, const Conv& conv, const std::string& name) {
  const int64_t outputs = conv.channels / conv.groups;
  Attrs attrs = window_attrs(shape(x), conv.padding, {conv.kernel, conv.kernel}, conv.stride);
  attrs["group"] = conv.groups;
  // About as many taps as reach one result.
  const int64_t taps = std::max<int64_t>(1, conv.kernel / conv.stride);
  std::vector<Value*> operands = {
      x, weight(name + ".weight", {channels(x), outputs, conv.kernel, conv.kernel},
                channels(x) / conv.groups * taps * taps, x, conv.deviation)};
  if (conv.bias) operands.push_back(vector(name + ".bias", conv.channels, 0, kBuilderSmall));
  Value* y = add("conv_transpose", std::move(operands), std::move(attrs), name)[0];
  mean_squares_[y] = conv.deviation * conv.deviation;
  return y;
}

Value* NetworkBuilder::batch_norm(Value* x, const std::string& name, double epsilon, double scale) {
  const int64_t n = channels(x);
  Value* y = add("batch_norm",
                 {x, vector(name + ".weight", n, scale, kBuilderSmall),
                  vector(name + ".bias", n, 0, kBuilderSmall),
                  vector(name + ".running_mean", n, 0, kBuilderSmall),
                  vector(name + ".running_var", n, 1, kBuilderSmall)},
                 {{"epsilon", epsilon}}, name)[0];
  mean_squares_[y] = scale * scale * mean_square(x);
  return y;
}

// Swish is sigmoid and mul, as PyTorch exports it.
Value* NetworkBuilder::activation(Value* x, Nonlinearity kind, const std::string& name) {
  switch (kind) {
    case Nonlinearity::None:
      return x;
    case Nonlinearity::Relu:
      return apply("relu", {x}, name);
    case Nonlinearity::Relu6:
      return apply("clip", {x, scalar(0), scalar(6)}, name);
    case Nonlinearity::HardSwish:
      return apply("hard_swish", {x}, name);
    case Nonlinearity::Swish:
      break;
  }
  Value* y = apply("mul", {x, apply("sigmoid", {x}, name + ".sigmoid")}, name);
  mean_squares_[y] = 0.4 * mean_square(x);  // The factors are not independent.
  return y;
}

Value* NetworkBuilder::leaky_relu(Value* x, double alpha, const std::string& name) {
  Value* y = add("leaky_relu", {x}, {{"alpha", alpha}}, name)[0];
  mean_squares_[y] = (1 + alpha * alpha) / 2 * mean_square(x);
  return y;
}

Value* NetworkBuilder::conv_bn(Value* x, const Conv& options, Nonlinearity kind,
                               const std::string& name, double epsilon) {
  x = conv(x, options, name + ".0");
  x = batch_norm(x, name + ".1", epsilon, kind == Nonlinearity::None ? 0.5 : 1);
  return activation(x, kind, name + ".2");
}

Value* NetworkBuilder::squeeze_excite(Value* x, int64_t squeezed, Nonlinearity kind,
                                      std::string_view gate, const std::string& name) {
  Value* y = global_average_pool(x, name + ".avgpool");
  y = conv(y, {.channels = squeezed, .bias = true}, name + ".fc1");
  y = activation(y, kind, name + ".activation");
  // Gates near the middle: open ones would amplify what opens the next.
  y = conv(y, {.channels = channels(x), .bias = true, .deviation = 0.2}, name + ".fc2");
  Attrs attrs;
  // PyTorch's slope; ONNX's default is 0.2.
  if (gate == "hard_sigmoid") attrs = {{"alpha", 1.0 / 6}, {"beta", 0.5}};
  y = add(gate, {y}, std::move(attrs), name + ".scale_activation")[0];
  return apply("mul", {x, y}, name + ".mul");
}

Value* NetworkBuilder::linear(Value* x, int64_t extent, const std::string& name) {
  const int64_t n = shape(x)[1];
  return add("gemm",
             {x, weight(name + ".weight", {extent, n}, n, x),
              vector(name + ".bias", extent, 0, kBuilderSmall)},
             {{"transB", int64_t{1}}}, name)[0];
}

Value* NetworkBuilder::project(Value* x, int64_t extent, const std::string& name) {
  const int64_t n = shape(x).back();
  Value* w = weight(name + ".weight", {n, extent}, n, x);
  Value* y = apply("matmul", {x, w}, name + ".matmul");
  return apply("add", {y, vector(name + ".bias", extent, 0, kBuilderSmall)}, name);
}

Value* NetworkBuilder::layer_norm(Value* x, const std::string& name, double epsilon) {
  const int64_t n = shape(x).back();
  return add("layer_norm",
             {x, vector(name + ".weight", n, 1, kBuilderSmall),
              vector(name + ".bias", n, 0, kBuilderSmall)},
             {{"epsilon", epsilon}}, name)[0];
}

Value* NetworkBuilder::max_pool(Value* x, int64_t kernel, int64_t stride, const std::string& name,
                                Padding padding, bool ceil_mode) {
  Attrs attrs = window_attrs(shape(x), padding, {kernel, kernel}, stride);
  if (ceil_mode) attrs["ceil_mode"] = int64_t{1};
  return add("max_pool", {x}, std::move(attrs), name)[0];
}

Value* NetworkBuilder::average_pool(Value* x, int64_t kernel_h, int64_t kernel_w,
                                    const std::string& name) {
  const Ints window = {kernel_h, kernel_w};
  return add("average_pool", {x}, {{"kernel_shape", window}, {"strides", window}}, name)[0];
}

Value* NetworkBuilder::mean_pool(Value* x, int64_t kernel, int64_t stride, const std::string& name,
                                 Padding padding, bool ceil_mode) {
  Attrs attrs = window_attrs(shape(x), padding, {kernel, kernel}, stride);
  if (ceil_mode) attrs["ceil_mode"] = int64_t{1};
  return add("average_pool", {x}, std::move(attrs), name)[0];
}

Value* NetworkBuilder::smooth(Value* x, int64_t kernel, const std::string& name) {
  return mean_pool(x, kernel, 1, name);
}

Value* NetworkBuilder::global_average_pool(Value* x, const std::string& name) {
  return apply("global_average_pool", {x}, name);
}

Value* NetworkBuilder::flatten(Value* x, const std::string& name) {
  return apply("flatten", {x}, name);
}

Value* NetworkBuilder::softmax(Value* x, const std::string& name) {
  return apply("softmax", {x}, name);
}

Value* NetworkBuilder::concat(std::vector<Value*> parts, int64_t axis, const std::string& name) {
  return add("concat", std::move(parts), {{"axis", axis}}, name)[0];
}

std::vector<Value*> NetworkBuilder::split(Value* x, const Ints& sizes, int64_t axis,
                                          const std::string& name) {
  return add("split", {x, constant(name + ".sizes", Tensor::of_ints(sizes))}, {{"axis", axis}},
             name, sizes.size());
}

Value* NetworkBuilder::slice(Value* x, int64_t begin, int64_t end, int64_t axis,
                             const std::string& name) {
  return apply("slice",
               {x, constant(name + ".starts", Tensor::of_ints({begin})),
                constant(name + ".ends", Tensor::of_ints({end})),
                constant(name + ".axes", Tensor::of_ints({axis}))},
               name);
}

Value* NetworkBuilder::upsample(Value* x, const std::string& name) {
  Value* scales = constant(name + ".scales", Tensor::of<float>({4}, {1, 1, 2, 2}));
  return apply("resize", {x, nullptr, scales}, name, resize_attrs(Resizing::Nearest));
}

Value* NetworkBuilder::resize_like(Value* x, Value* like, Resizing kind, const std::string& name) {
  Value* kept = apply("shape", {x}, name + ".kept", {{"end", int64_t{2}}});
  Value* extents = apply("shape", {like}, name + ".extents", {{"start", int64_t{2}}});
  Value* sizes = concat({kept, extents}, 0, name + ".sizes");
  return apply("resize", {x, nullptr, nullptr, sizes}, name, resize_attrs(kind));
}

Value* NetworkBuilder::reshape(Value* x, const Ints& extents, const std::string& name) {
  return apply("reshape", {x, constant(name + ".shape", Tensor::of_ints(extents))}, name);
}

Value* NetworkBuilder::reshape_like(Value* x, Value* like, const std::string& name) {
  return apply("reshape", {x, apply("shape", {like}, name + ".shape")}, name);
}

Value* NetworkBuilder::shuffle_channels(Value* x, int64_t groups, const std::string& name) {
  Value* y = reshape(x, {0, groups, channels(x) / groups, -1}, name + ".split");
  return reshape_like(transpose(y, {0, 2, 1, 3}, name + ".transpose"), x, name);
}

Value* NetworkBuilder::transpose(Value* x, const Ints& order, const std::string& name) {
  return add("transpose", {x}, {{"perm", order}}, name)[0];
}

Graph NetworkBuilder::finish(const std::vector<std::pair<Value*, std::string_view>>& outputs) {
  for (const auto& [output, name] : outputs) {
    graph_.rename(output, name);
    graph_.add_output(output);
  }
  return std::move(graph_);
}

}  // namespace hone
