// The different slices of x along `axis` (without axis: its different elements), in rising order
// where `sorted`, else in order of appearance. Further outputs: where each appears first, which of
// them every slice of x is, and how often each appears.

#include <algorithm>
#include <numeric>

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/indexing/blocks.h"
#include "hone/ops/indexing/indexing_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_unique(const InferContext& in) {
  TensorType type = plain(in.type(0));
  const ValueType list(DType::I64, {kUnknown});
  if (!in.has_attr("axis")) {
    type = {type.dtype, {kUnknown}};
  } else if (type.ranked) {
    HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), type.rank()));
    type.shape[axis] = kUnknown;
  }
  return std::vector<ValueType>{type, list, list, list};
}

// NaN is larger than every number and equal to itself, which makes this an order.
template <class T>
int compare(const T& a, const T& b) {
  if constexpr (!std::is_same_v<T, std::string>) {
    if (is_nan(a) || is_nan(b)) return (is_nan(a) ? 1 : 0) - (is_nan(b) ? 1 : 0);
  }
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

template <class T>
int compare_slices(const T* x, const AxisSplit& split, int64_t a, int64_t b) {
  for (int64_t outer = 0; outer < split.outer; ++outer) {
    const T* base = x + outer * split.n * split.inner;
    for (int64_t inner = 0; inner < split.inner; ++inner) {
      const int order = compare(base[a * split.inner + inner], base[b * split.inner + inner]);
      if (order != 0) return order;
    }
  }
  return 0;
}

struct Groups {
  Ints first;    // Of each group, the first slice that is in it.
  Ints inverse;  // Of each slice, its group.
  Ints counts;
};

template <class T>
Groups find_groups(const T* x, const AxisSplit& split) {
  Ints order(static_cast<size_t>(split.n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(
      order, [&](int64_t a, int64_t b) { return compare_slices(x, split, a, b) < 0; });
  Groups groups;
  groups.inverse.resize(order.size());
  for (const int64_t slice : order) {
    if (groups.first.empty() || compare_slices(x, split, groups.first.back(), slice) != 0) {
      groups.first.push_back(slice);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.inverse[static_cast<size_t>(slice)] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  return groups;
}

Groups by_appearance(const Groups& sorted) {
  Ints order(sorted.first.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::sort(order, {}, [&](int64_t g) { return sorted.first[static_cast<size_t>(g)]; });
  Groups groups{.first = {}, .inverse = sorted.inverse, .counts = {}};
  Ints place(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto group = static_cast<size_t>(order[i]);
    place[group] = static_cast<int64_t>(i);
    groups.first.push_back(sorted.first[group]);
    groups.counts.push_back(sorted.counts[group]);
  }
  for (int64_t& group : groups.inverse) group = place[static_cast<size_t>(group)];
  return groups;
}

Status eval_unique(EvalContext& in) {
  const Tensor x = in.has_attr("axis") ? in.in(0) : in.in(0).reshaped({in.in(0).elements()});
  size_t axis = 0;
  if (in.has_attr("axis")) {
    HONE_TRY(axis, resolve_axis(in.integer("axis"), x.rank()));
  }
  const AxisSplit split = split_at(x.shape(), axis);
  if (x.elements() == 0 && split.n > 0) return unsupported("unique slices without elements");
  Groups groups = dispatch<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t,
                           uint8_t, uint16_t, uint32_t, uint64_t, bool, std::string>(
      x.dtype(),
      [&](auto tag) { return find_groups(x.data<typename decltype(tag)::type>().data(), split); });
  if (in.integer("sorted") == 0) groups = by_appearance(groups);
  TensorType type{x.dtype(), x.shape()};
  type.shape[axis] = static_cast<int64_t>(groups.first.size());
  Tensor y(type);
  gather_blocks(x, axis_offsets(x.shape(), axis, groups.first), split.inner, y);
  in.set(0, std::move(y));
  const Ints* lists[] = {&groups.first, &groups.inverse, &groups.counts};
  for (size_t i = 1; i < in.outputs(); ++i) in.set(i, Tensor::of_ints(*lists[i - 1]));
  return Done{};
}

}  // namespace

extern const OpDef op_unique = {
    .name = "unique",
    .summary = "The different elements, or slices along an axis.",
    .inputs = {{"x", kNumeric | kBoolean | kText}},
    .attrs = {{"axis", int64_t{0}, kAbsent}, {"sorted", int64_t{1}}},
    .max_outputs = 4,
    .infer = infer_unique,
    .eval = eval_unique,
    .onnx = {{"Unique"}},
    .tflite = {{"UNIQUE", import_unique}},
    .cases = {"(f32[5]{2 1 1 3 2})"},
};

}  // namespace hone
