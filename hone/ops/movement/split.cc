// x cut along `axis` into parts of the lengths that an input gives, or into equal ones, of which
// the last may be shorter.

#include <algorithm>
#include <limits>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

Result<Ints> given_lengths(const Ints& lengths, int64_t extent, size_t parts) {
  int64_t sum = 0;
  for (const int64_t length : lengths) {
    if (length < 0 || length > kLargestExtent) return bad_input("a part of length ", length);
    sum = std::min(sum + length, kLargestExtent);
  }
  if (lengths.size() != parts || (extent != kUnknown && sum != extent)) {
    return bad_input("split [", join(lengths), "] does not cut extent ", extent, " into ", parts,
                     " parts");
  }
  return lengths;
}

Result<Ints> equal_lengths(int64_t extent, size_t parts) {
  const auto count = static_cast<int64_t>(parts);
  if (extent == kUnknown) return Ints(parts, kUnknown);
  const int64_t length = (extent + count - 1) / count;
  const int64_t last = extent - length * (count - 1);
  if (last < 0) return bad_input("extent ", extent, " does not cut into ", parts, " parts");
  Ints lengths(parts, length);
  lengths.back() = last;
  return lengths;
}

Result<std::vector<ValueType>> infer_split(const InferContext& in) {
  const TensorType& x = in.type(0);
  const size_t parts = in.outputs();
  if (in.has_attr("num_outputs") && in.integer("num_outputs") != static_cast<int64_t>(parts)) {
    return bad_input("num_outputs is ", in.integer("num_outputs"), ", but there are ", parts);
  }
  if (!x.ranked) return std::vector<ValueType>(parts, TensorType::unranked(x.dtype));
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  Ints lengths(parts, kUnknown);
  if (!in.has(1)) {
    HONE_TRY(lengths, equal_lengths(x.shape[axis], parts));
  } else if (const auto known = in.known_ints(1)) {
    HONE_TRY(lengths, given_lengths(*known, x.shape[axis], parts));
  }
  std::vector<ValueType> types(parts, plain(x));
  for (size_t i = 0; i < parts; ++i) types[i].tensor.shape[axis] = lengths[i];
  return types;
}

Status eval_split(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  const std::vector<int64_t> strides = strides_of(x.shape());
  int64_t start = 0;
  for (size_t i = 0; i < in.outputs(); ++i) {
    Tensor& y = in.out(i);
    const Shape shape = y.shape();
    copy_strided(x, start * strides[axis], shape, strides, y);
    start += shape[axis];
  }
  return Done{};
}

// The lengths were an attribute before opset 13. Since 18 equal parts are counted by another.
Status upgrade_split(OnnxImport& in) {
  if (in.opset < 13) in.attr_to_input("split", 1);
  if (in.opset >= 18 && in.inputs.size() < 2 && !in.has("num_outputs")) {
    return bad_input("has neither split nor num_outputs, expected one of them since opset 18");
  }
  return Done{};
}

}  // namespace

extern const OpDef op_split = {
    .name = "split",
    .summary = "A tensor cut into parts along an axis.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny}, {"split", kIndex, 0, kOptional}},
    .attrs = {{"axis", int64_t{0}}, {"num_outputs", int64_t{0}, kAbsent}},
    .max_outputs = std::numeric_limits<int>::max(),
    .quantized = true,
    .infer = infer_split,
    .eval = eval_split,
    .onnx = {{"Split", upgrade_split}},
    .tflite = {{"SPLIT", import_split}, {"SPLIT_V", import_split_v}, {"UNPACK", import_unpack}},
    .cases = {"?, ? = (f32[2,6]) axis=1 num_outputs=2", "?, ? = (f32[5,2], i64[2]{2 3})",
              "i8[1,2]<0.5:0>, i8[1,2]<0.5:0> = (i8[1,4]<0.5:0>) axis=1 num_outputs=2"},
};

}  // namespace hone
