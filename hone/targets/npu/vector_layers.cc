// What the vector engine computes: sums and products of two activations, tables, pools, means,
// softmax, resizing.

#include <cstring>

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/ops/op_def.h"
#include "hone/ops/pool/windows.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/reduce/reduce_quantized.h"
#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/ops/vision/resize_plan.h"
#include "hone/targets/common/byte_table.h"
#include "hone/targets/npu/layer.h"
#include "hone/tensor/fixed_functions.h"

namespace hone::npu {
namespace {

const TensorType& type_of(const Value* value) {
  return value->type.tensor;
}

sim::VectorCommand command_of(sim::VectorOp op, const Node& node, const EvalOptions& options,
                              IntRange range) {
  const TensorType& x = type_of(node.inputs[0]);
  const TensorType& y = type_of(node.outputs[0]);
  sim::VectorCommand command;
  command.op = op;
  command.is_signed = x.dtype == DType::I8;
  command.a_zero = x.quant->zero_point();
  command.stage = {.rounding = options.rounding,
                   .zero_point = y.quant->zero_point(),
                   .low = range.low,
                   .high = range.high};
  return command;
}

// How an operand of `from` is walked to give every element of an image of `to`; nothing when it
// takes more than rows, pixels and channels to say it.
std::optional<sim::View> broadcast_to(const Value& operand, const Shape& to, const Image& image) {
  const Shape& from = type_of(&operand).shape;
  sim::View view = view_of(image);
  Shape padded(to.size() - from.size(), 1);
  padded.insert(padded.end(), from.begin(), from.end());
  if (padded == to) return view;
  const bool scalar = std::ranges::all_of(padded, [](int64_t extent) { return extent == 1; });
  if (scalar && (image.channels == 1 || operand.constant)) {
    view.row_stride = view.pixel_stride = 0;
    return view;
  }
  // All leading axes are one pixel: channels alone.
  const bool channels_only =
      padded.back() == to.back() &&
      std::all_of(padded.begin(), padded.end() - 1, [](int64_t extent) { return extent == 1; });
  if (!channels_only) return std::nullopt;
  view.row_stride = view.pixel_stride = 0;
  return view;
}

bool whole(const sim::View& view, const Image& image) {
  return image.height * image.width > 1 && view.row_stride == 0 && view.pixel_stride == 0;
}

Image stored_image(const sim::View& view, const Image& image) {
  return whole(view, image) ? Image{1, 1, image.channels} : image;
}

// Sets operand b, a constant or a second activation.
void set_second(const Node& node, const sim::View& view, Layer& layer) {
  const Value& b = *node.inputs[1];
  if (b.constant) {
    const auto bytes = b.constant->bytes();
    const size_t repeats = bytes.size() == 1 ? static_cast<size_t>(view.channels) : 1;
    for (size_t i = 0; i < repeats; ++i) {
      layer.constants.insert(layer.constants.end(), bytes.begin(), bytes.end());
    }
    layer.constant_is_operand = true;
    return;
  }
  const Image image = stored_image(view, layer.output.image);
  layer.inputs.push_back({&b, image, whole(view, layer.output.image)});
}

}  // namespace

std::optional<Layer> pair_layer(const Node& node, const EvalOptions& options) {
  const Value& a = *node.inputs[0];
  const Value& b = *node.inputs[1];
  const Value& y = *node.outputs[0];
  if (!is_byte(a) || !is_byte(b) || !is_byte(y) || a.constant) return std::nullopt;
  const TensorType& type = type_of(&y);
  if (type_of(&a).dtype != type.dtype || type_of(&b).dtype != type.dtype) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), type);
  Layer layer;
  layer.output.image = image_of(type);
  const auto first = broadcast_to(a, type.shape, layer.output.image);
  const auto second = broadcast_to(b, type.shape, layer.output.image);
  if (!range.ok() || !first || !second) return std::nullopt;
  const sim::VectorOp op = node.op == "mul"   ? sim::VectorOp::Mul
                           : node.op == "sub" ? sim::VectorOp::Sub
                                              : sim::VectorOp::Add;
  sim::VectorCommand command = command_of(op, node, options, *range);
  command.b_zero = type_of(&b).quant->zero_point();
  if (op == sim::VectorOp::Mul) {
    command.factors[2] = product_factor(type_of(&a), type_of(&b), type);
  } else {
    const auto factors = sum_factors(type_of(&a), type_of(&b), type, op == sim::VectorOp::Sub);
    if (!factors.ok()) return std::nullopt;
    command.factors = {factors->a, factors->b, factors->y};
  }
  command.a = *first;
  command.b = *second;
  command.output = view_of(layer.output.image);
  layer.inputs = {
      {&a, stored_image(*first, layer.output.image), whole(*first, layer.output.image)}};
  set_second(node, *second, layer);
  layer.cuts_rows = true;
  layer.work = command;
  return layer;
}

std::optional<Layer> table_layer(const Node& node, const EvalOptions& options) {
  if (!is_byte(*node.inputs[0]) || !is_byte(*node.outputs[0]) || node.inputs[0]->constant) {
    return std::nullopt;
  }
  const auto table = byte_table(node, options);
  if (!table) return std::nullopt;
  Layer layer;
  layer.output.image = image_of(type_of(node.outputs[0]));
  layer.inputs = {{node.inputs[0], layer.output.image}};
  layer.constants.resize(table->size());
  std::memcpy(layer.constants.data(), table->data(), table->size());
  sim::VectorCommand command = command_of(sim::VectorOp::Table, node, options, {-128, 127});
  command.a = command.output = view_of(layer.output.image);
  layer.cuts_rows = true;
  layer.work = command;
  return layer;
}

std::optional<Layer> pool_layer(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  if (!is_byte(x) || !is_byte(*node.outputs[0]) || x.constant) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto pool = pool_geometry(context, type_of(&x).shape);
  const auto range = activation_range(context.text("activation"), type_of(node.outputs[0]));
  if (!pool.ok() || !range.ok() || !pool->nhwc || pool->window.rank > 2 || pool->batch != 1) {
    return std::nullopt;
  }
  const WindowAxis& height = pool->window.axes[1];
  const WindowAxis& width = pool->window.axes[2];
  const bool average = node.op == "average_pool";
  if (average && counts_padding(context, pool->window)) return std::nullopt;
  Layer layer;
  layer.inputs = {{&x, {height.in, width.in, pool->channels}}};
  layer.output.image = {height.out, width.out, pool->channels};
  sim::VectorCommand command = command_of(
      average ? sim::VectorOp::AveragePool : sim::VectorOp::MaxPool, node, options, *range);
  command.window = window_of(height, width);
  command.a = view_of(layer.inputs[0].image);
  command.output = view_of(layer.output.image);
  layer.cuts_rows = true;
  layer.cuts_channels = true;
  layer.work = command;
  return layer;
}

// Over height and width, as global pools come.
std::optional<Layer> mean_layer(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || type_of(&x).dtype != type_of(&y).dtype) {
    return std::nullopt;
  }
  const Shape& shape = type_of(&x).shape;
  if (shape.size() != 4 || shape[0] != 1 || node.inputs.size() < 2 || node.inputs[1] == nullptr ||
      !node.inputs[1]->constant) {
    return std::nullopt;
  }
  Ints axes = to_ints(*node.inputs[1]->constant);
  for (int64_t& axis : axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(axes);
  if (axes != Ints{1, 2}) return std::nullopt;
  Layer layer;
  layer.inputs = {{&x, {shape[1], shape[2], shape[3]}}};
  layer.output.image = {1, 1, shape[3]};
  sim::VectorCommand command =
      command_of(sim::VectorOp::Mean, node, options, range_of(type_of(&y).dtype));
  command.factors[2] = mean_factor(type_of(&x), type_of(&y), shape[1] * shape[2]);
  command.window.kernel_h = shape[1];
  command.window.kernel_w = shape[2];
  command.a = view_of(layer.inputs[0].image);
  command.output = view_of(layer.output.image);
  layer.cuts_channels = true;
  layer.work = command;
  return layer;
}

std::optional<Layer> softmax_layer(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || type_of(&x).dtype != type_of(&y).dtype) {
    return std::nullopt;
  }
  const NodeContext context(*find_op(node.op), node);
  const int64_t axis = context.integer("axis");
  const auto rank = std::ssize(type_of(&x).shape);
  if (axis != -1 && axis != rank - 1) return std::nullopt;
  Layer layer;
  layer.output.image = image_of(type_of(&y));
  layer.inputs = {{&x, layer.output.image}};
  constexpr int kSumBits = 12;
  std::vector<int32_t> tables(512);  // Exponentials, then terms of the sum.
  const DifferenceScaling scaling =
      difference_scaling(type_of(&x).quant->scale(), options.rounding);
  for (int32_t below = 0; below < 256; ++below) {
    if (-below < scaling.lowest) continue;
    const int32_t scaled = scale_by(-below, scaling.factor, options.rounding);
    const int32_t exponential = fixed_exp_of_negative(scaled, kDifferenceBits);
    tables[static_cast<size_t>(below)] = exponential;
    tables[static_cast<size_t>(256 + below)] = fixed_times_pot(exponential, -kSumBits);
  }
  layer.constants.resize(tables.size() * sizeof(int32_t));
  std::memcpy(layer.constants.data(), tables.data(), layer.constants.size());
  sim::VectorCommand command =
      command_of(sim::VectorOp::Softmax, node, options, range_of(type_of(&y).dtype));
  command.a = command.output = view_of(layer.output.image);
  layer.cuts_rows = true;
  layer.work = command;
  return layer;
}

// To the nearest, along height and width.
std::optional<Layer> resize_layer(const Node& node, const EvalOptions& options) {
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || type_of(&x).shape.size() != 4)
    return std::nullopt;
  if (!same_quantization(type_of(&x), type_of(&y))) return std::nullopt;
  const auto constant = [&](size_t input) -> const Tensor* {
    const bool there = input < node.inputs.size() && node.inputs[input] != nullptr;
    return there && node.inputs[input]->constant ? &*node.inputs[input]->constant : nullptr;
  };
  const NodeContext context(*find_op(node.op), node);
  const auto plan =
      resize_plan(context, type_of(&x).shape, {constant(1), constant(2), constant(3)});
  if (!plan.ok() || plan->mode.kind != ResizeMode::Kind::Nearest ||
      plan->shape() != type_of(&y).shape || plan->axes[0].in != 1) {
    return std::nullopt;
  }
  std::vector<int32_t> sources;  // Rows, then columns.
  for (size_t axis = 0; axis < 4; ++axis) {
    const ResizeTable table = resize_table(plan->axes[axis], plan->mode);
    if (std::ranges::find(table.outside, true) != table.outside.end()) return std::nullopt;
    if (axis == 0 || axis == 3) {
      if (!table.identity(plan->axes[axis])) return std::nullopt;
      continue;
    }
    for (const auto& tap : table.taps) sources.push_back(static_cast<int32_t>(tap.index));
  }
  Layer layer;
  layer.inputs = {{&x, image_of(type_of(&x))}};
  layer.output.image = image_of(type_of(&y));
  if (std::ssize(sources) != layer.output.image.height + layer.output.image.width) {
    return std::nullopt;
  }
  layer.constants.resize(sources.size() * sizeof(int32_t));
  std::memcpy(layer.constants.data(), sources.data(), layer.constants.size());
  sim::VectorCommand command =
      command_of(sim::VectorOp::Resize, node, options, range_of(type_of(&y).dtype));
  command.a = view_of(layer.inputs[0].image);
  command.output = view_of(layer.output.image);
  layer.cuts_channels = true;
  layer.work = command;
  return layer;
}

}  // namespace hone::npu
