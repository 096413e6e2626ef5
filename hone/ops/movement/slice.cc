// x[start:end:step] along the named axes, with Python's rules: negative positions count from the
// back, positions outside are clamped, a negative step walks backwards.

#include <algorithm>
#include <numeric>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

// `count` positions from `start` on, `step` apart.
struct Range {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

Result<Range> resolve_range(int64_t start, int64_t end, int64_t step, int64_t extent) {
  if (step == 0) return bad_input("a step is zero");
  if (extent == 0) return Range{};
  step = std::clamp(step, -kLargestExtent, kLargestExtent);
  // The positions before the first and behind the last that the walk may visit.
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? extent : extent - 1;
  start = std::clamp(start < 0 ? start + extent : start, step > 0 ? low : 0, high);
  end = std::clamp(end < 0 ? end + extent : end, low, high);
  const int64_t span = step > 0 ? end - start : start - end;
  const int64_t stride = step > 0 ? step : -step;
  return Range{start, step, span <= 0 ? 0 : (span + stride - 1) / stride};
}

// The slicing of every axis, from the values of inputs 1 to 4.
Result<std::vector<Range>> resolve_ranges(const Shape& shape, const Ints& starts, const Ints& ends,
                                          const Ints& axes, const Ints& steps) {
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      starts.size() != steps.size()) {
    return bad_input(starts.size(), " starts, ", ends.size(), " ends, ", axes.size(), " axes and ",
                     steps.size(), " steps, expected as many of each");
  }
  HONE_RETURN_IF_ERROR(resolve_axes(axes, static_cast<int64_t>(shape.size())));
  std::vector<Range> ranges;
  for (const int64_t extent : shape) ranges.push_back({0, 1, extent});
  for (size_t i = 0; i < axes.size(); ++i) {
    HONE_TRY(const size_t axis, resolve_axis(axes[i], static_cast<int64_t>(shape.size())));
    if (shape[axis] == kUnknown) continue;  // The count stays unknown.
    HONE_TRY(ranges[axis], resolve_range(starts[i], ends[i], steps[i], shape[axis]));
  }
  return ranges;
}

Ints first_axes(size_t count) {
  Ints axes(count);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

// What infer can tell when the starts or ends are not known: which axes keep their extents.
Result<Shape> partly_known(const InferContext& in) {
  Shape shape = in.type(0).shape;
  const auto axes = in.known_ints(3);
  if (!axes) return Shape(shape.size(), kUnknown);
  HONE_TRY(const std::vector<size_t> cut, resolve_axes(*axes, in.type(0).rank()));
  for (const size_t axis : cut) shape[axis] = kUnknown;
  return shape;
}

Result<std::vector<ValueType>> infer_slice(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  const auto starts = in.known_ints(1);
  const auto ends = in.known_ints(2);
  const auto axes = in.has(3) ? in.known_ints(3) : first_axes(starts ? starts->size() : 0);
  const auto steps = in.has(4) ? in.known_ints(4) : Ints(starts ? starts->size() : 0, 1);
  if (!starts || !ends || !axes || !steps) {
    HONE_TRY(type.shape, partly_known(in));
    return std::vector<ValueType>{type};
  }
  HONE_TRY(const std::vector<Range> ranges,
           resolve_ranges(type.shape, *starts, *ends, *axes, *steps));
  for (size_t i = 0; i < ranges.size(); ++i) type.shape[i] = ranges[i].count;
  return std::vector<ValueType>{type};
}

Status eval_slice(EvalContext& in) {
  const Tensor& x = in.in(0);
  const Ints starts = to_ints(in.in(1));
  const Ints axes = in.has(3) ? to_ints(in.in(3)) : first_axes(starts.size());
  const Ints steps = in.has(4) ? to_ints(in.in(4)) : Ints(starts.size(), 1);
  HONE_TRY(const std::vector<Range> ranges,
           resolve_ranges(x.shape(), starts, to_ints(in.in(2)), axes, steps));
  std::vector<int64_t> strides = strides_of(x.shape());
  int64_t offset = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    offset += ranges[i].start * strides[i];
    // With one position there is no stride, and a huge step must not be multiplied.
    strides[i] = ranges[i].count > 1 ? strides[i] * ranges[i].step : 0;
  }
  Tensor& y = in.out();
  const Shape shape = y.shape();
  copy_strided(x, offset, shape, std::move(strides), y);
  return Done{};
}

// The bounds were attributes before opset 10.
Status upgrade_slice(OnnxImport& in) {
  if (in.opset >= 10) return Done{};
  in.attr_to_input("starts", 1);
  in.attr_to_input("ends", 2);
  in.attr_to_input("axes", 3);
  return Done{};
}

}  // namespace

extern const OpDef op_slice = {
    .name = "slice",
    .summary = "Evenly spaced positions along axes.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny},
               {"starts", kIndex, 'I'},
               {"ends", kIndex, 'I'},
               {"axes", kIndex, 'I', kOptional},
               {"steps", kIndex, 'I', kOptional}},
    .quantized = true,
    .infer = infer_slice,
    .eval = eval_slice,
    .onnx = {{"Slice", upgrade_slice}},
    .tflite = {{"SLICE", import_slice},
               {"STRIDED_SLICE", import_strided_slice},
               {"REVERSE_V2", import_reverse}},
    .cases = {"(f32[4,6], i64[2]{1 0}, i64[2]{3 6}, i64[2]{0 1}, i64[2]{1 2})",
              "(f32[4,6], i64[1]{-1}, i64[1]{-5}, i64[1]{1}, i64[1]{-2})",
              "i8[1,6]<0.5:3> = (i8[4,6]<0.5:3>, i64[1]{1}, i64[1]{2})"},
};

}  // namespace hone
