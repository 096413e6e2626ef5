// Operators that only move elements: each is a copy, or a few, between places that follow from
// coordinates.

#include "hone/ops/op_def.h"
#include "hone/ops/vision/resize_plan.h"
#include "hone/targets/cuda/strided.h"

namespace hone::cuda {
namespace {

bool can_move(const Value* value, const StepBuilder& builder) {
  if (value == nullptr || !builder.planned(value)) return false;
  const TensorType& type = value->type.tensor;
  return bits_of(type.dtype) >= 8 && type.elements() > 0 && type.elements() <= kMostElements;
}

size_t element_bytes(const Value* value) {
  return static_cast<size_t>(bits_of(value->type.tensor.dtype)) / 8;
}

Step copies_step(const Node& node, std::vector<Launch> launches) {
  Step step{.kind = kind_of_step(StepFamily::Movement, "copy", node)};
  step.variants.push_back({"", std::move(launches)});
  return step;
}

std::optional<Step> one_copy(const Node& node, const StridedCopy& copy, StepBuilder& builder) {
  const Slot x = builder.read(node.inputs[0]);
  const Slot y = builder.write(node.outputs[0]);
  return copies_step(node, {copy_launch(copy, element_bytes(node.inputs[0]), x, y)});
}

bool moves(const Node& node, const StepBuilder& builder) {
  return can_move(node.inputs[0], builder) && can_move(node.outputs[0], builder);
}

std::optional<Step> lower_transpose_node(const Node& node, StepBuilder& builder) {
  if (!moves(node, builder)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const Ints strides = dense_strides(x);
  Ints turned(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t from =
        context.has_attr("perm") ? static_cast<size_t>(context.ints("perm")[i]) : x.size() - 1 - i;
    turned[i] = strides[from];
  }
  return one_copy(node, {.extents = y, .x_strides = turned, .y_strides = dense_strides(y)},
                  builder);
}

size_t axis_of(const Node& node) {
  const int64_t axis = NodeContext(*find_op(node.op), node).integer("axis");
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

std::optional<Step> lower_concat_node(const Node& node, StepBuilder& builder) {
  if (!takes_concat(node, builder)) return std::nullopt;
  const size_t axis = axis_of(node);
  const Ints y_strides = dense_strides(node.outputs[0]->type.tensor.shape);
  const Slot y = builder.write(node.outputs[0]);
  std::vector<Launch> launches;
  int64_t offset = 0;
  for (const Value* input : node.inputs) {
    const Shape& x = input->type.tensor.shape;
    if (input->type.tensor.elements() == 0) continue;
    if (!builder.in_place(input)) {
      launches.push_back(copy_launch({.extents = x,
                                      .x_strides = dense_strides(x),
                                      .y_strides = y_strides,
                                      .y_offset = offset * y_strides[axis]},
                                     element_bytes(node.outputs[0]), builder.read(input), y));
    }
    offset += x[axis];
  }
  return copies_step(node, std::move(launches));
}

std::optional<Step> lower_split_node(const Node& node, StepBuilder& builder) {
  if (!can_move(node.inputs[0], builder)) return std::nullopt;
  for (const Value* output : node.outputs) {
    if (!can_move(output, builder)) return std::nullopt;
  }
  const size_t axis = axis_of(node);
  const Ints x_strides = dense_strides(node.inputs[0]->type.tensor.shape);
  const Slot x = builder.read(node.inputs[0]);
  std::vector<Launch> launches;
  int64_t offset = 0;
  for (const Value* output : node.outputs) {
    const Shape& y = output->type.tensor.shape;
    launches.push_back(copy_launch({.extents = y,
                                    .x_strides = x_strides,
                                    .y_strides = dense_strides(y),
                                    .x_offset = offset * x_strides[axis]},
                                   element_bytes(node.inputs[0]), x, builder.write(output)));
    offset += y[axis];
  }
  return copies_step(node, std::move(launches));
}

// The constant integers of an input, or those that stand for it when it is left out.
std::optional<Ints> given_ints(const Node& node, size_t index, Ints otherwise) {
  const Value* input = input_of(node, index);
  if (input == nullptr) return otherwise;
  if (!input->constant) return std::nullopt;
  return to_ints(*input->constant);
}

std::optional<Step> lower_slice_node(const Node& node, StepBuilder& builder) {
  if (!moves(node, builder)) return std::nullopt;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const auto starts = given_ints(node, 1, {});
  if (!starts) return std::nullopt;
  Ints first_axes;
  for (size_t i = 0; i < starts->size(); ++i) first_axes.push_back(static_cast<int64_t>(i));
  const auto axes = given_ints(node, 3, first_axes);
  const auto steps = given_ints(node, 4, Ints(starts->size(), 1));
  if (!axes || !steps) return std::nullopt;
  Ints strides = dense_strides(x);
  int64_t offset = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    const int64_t rank = node.inputs[0]->type.tensor.rank();
    const auto axis = static_cast<size_t>((*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i]);
    const int64_t step = (*steps)[i];
    const int64_t start = (*starts)[i] < 0 ? (*starts)[i] + x[axis] : (*starts)[i];
    offset += std::clamp<int64_t>(start, 0, step > 0 ? x[axis] : x[axis] - 1) * strides[axis];
    strides[axis] = y[axis] > 1 ? strides[axis] * step : 0;
  }
  return one_copy(
      node, {.extents = y, .x_strides = strides, .y_strides = dense_strides(y), .x_offset = offset},
      builder);
}

std::optional<Step> lower_expand_node(const Node& node, StepBuilder& builder) {
  if (!moves(node, builder)) return std::nullopt;
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const Ints strides = broadcast_strides(node.inputs[0]->type.tensor.shape, y);
  return one_copy(node, {.extents = y, .x_strides = strides, .y_strides = dense_strides(y)},
                  builder);
}

// One constant index, or several that are evenly spaced: a slice.
std::optional<Step> lower_gather_node(const Node& node, StepBuilder& builder) {
  if (!moves(node, builder) || !node.inputs[1]->constant) return std::nullopt;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const size_t axis = axis_of(node);
  Ints indices = to_ints(*node.inputs[1]->constant);
  for (int64_t& index : indices) index += index < 0 ? x[axis] : 0;
  const int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const bool inside = indices[i] >= 0 && indices[i] < x[axis];
    if (!inside || indices[i] != indices[0] + static_cast<int64_t>(i) * step) return std::nullopt;
  }
  Ints strides = dense_strides(x);
  const int64_t offset = indices[0] * strides[axis];
  strides[axis] *= step;
  Shape y = x;  // But for axes of one element, as the output has it.
  y[axis] = static_cast<int64_t>(indices.size());
  return one_copy(
      node, {.extents = y, .x_strides = strides, .y_strides = dense_strides(y), .x_offset = offset},
      builder);
}

// How often every element along an axis is repeated; 0 when it is not that simple.
int64_t repeats_of(const ResizeAxis& axis, const ResizeMode& mode) {
  if (axis.out % axis.in != 0) return 0;
  const int64_t repeats = axis.out / axis.in;
  const ResizeTable table = resize_table(axis, mode);
  for (int64_t i = 0; i < axis.out; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool one = table.first[at + 1] - table.first[at] == 1 && !table.outside[at];
    if (!one || table.taps[table.first[at]].index != i / repeats) return 0;
  }
  return repeats;
}

// Nearest neighbours whose places repeat: every axis becomes two, one of which x stands still along.
std::optional<StridedCopy> repeats_copy(const Node& node, const StepBuilder& builder) {
  if (!moves(node, builder)) return std::nullopt;
  const Tensor* given[3] = {};
  for (size_t i = 1; i < node.inputs.size() && i <= 3; ++i) {
    if (node.inputs[i] == nullptr) continue;
    if (!node.inputs[i]->constant) return std::nullopt;
    given[i - 1] = &*node.inputs[i]->constant;
  }
  const NodeContext context(*find_op(node.op), node);
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const auto plan =
      resize_plan(context, x, {.roi = given[0], .scales = given[1], .sizes = given[2]});
  if (!plan.ok() || plan->mode.kind != ResizeMode::Kind::Nearest) return std::nullopt;
  const Ints strides = dense_strides(x);
  StridedCopy copy;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t repeats = repeats_of(plan->axes[i], plan->mode);
    if (repeats == 0) return std::nullopt;
    copy.extents.insert(copy.extents.end(), {x[i], repeats});
    copy.x_strides.insert(copy.x_strides.end(), {strides[i], 0});
  }
  copy.y_strides =
      pitched_strides(dense_strides(copy.extents), x.empty() ? 1 : plan->axes.back().out,
                      builder.row_pitch(node.outputs[0]));
  return copy;
}

std::optional<Step> lower_resize_node(const Node& node, StepBuilder& builder) {
  const auto copy = repeats_copy(node, builder);
  return copy ? one_copy(node, *copy, builder) : std::nullopt;
}

}  // namespace

bool takes_repeats(const Node& node, const StepBuilder& builder) {
  return repeats_copy(node, builder).has_value();
}

bool takes_concat(const Node& node, const StepBuilder& builder) {
  for (const Value* input : node.inputs) {
    if (input == nullptr || !builder.planned(input)) return false;
    if (input->type.tensor.elements() > 0 && !can_move(input, builder)) return false;
    // Values of other scales are not only moved.
    const auto& from = input->type.tensor.quant;
    const auto& to = node.outputs[0]->type.tensor.quant;
    if (from != nullptr && to != nullptr && *from != *to) return false;
  }
  return can_move(node.outputs[0], builder);
}

extern const LoweringDef lower_transpose = {.op = "transpose", .lower = lower_transpose_node};
extern const LoweringDef lower_concat = {.op = "concat", .lower = lower_concat_node};
extern const LoweringDef lower_split = {.op = "split", .lower = lower_split_node};
extern const LoweringDef lower_slice = {.op = "slice", .lower = lower_slice_node};
extern const LoweringDef lower_expand = {.op = "expand", .lower = lower_expand_node};
extern const LoweringDef lower_gather = {.op = "gather", .lower = lower_gather_node};
extern const LoweringDef lower_resize = {.op = "resize", .lower = lower_resize_node};

}  // namespace hone::cuda
