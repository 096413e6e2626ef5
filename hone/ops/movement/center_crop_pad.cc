// x cropped, or padded with zeros, around its centre to the extents given along `axes`. Of an odd
// difference the larger half is behind.

#include <algorithm>

#include "hone/ops/movement/movement.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// The wanted extent of every axis, kUnknown where it is not known.
Result<Shape> wanted_shape(const NodeContext& in, const Shape& shape,
                           const std::optional<Ints>& wanted) {
  Shape result = shape;
  const auto rank = static_cast<int64_t>(shape.size());
  Ints axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  if (in.has_attr("axes")) axes = in.ints("axes");
  HONE_RETURN_IF_ERROR(resolve_axes(axes, rank));
  if (wanted && wanted->size() != axes.size()) {
    return bad_input(wanted->size(), " extents for ", axes.size(), " axes");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    HONE_TRY(const size_t axis, resolve_axis(axes[i], rank));
    result[axis] = wanted ? (*wanted)[i] : kUnknown;
    if (wanted && result[axis] < 0) return bad_input("an extent of ", result[axis]);
  }
  return result;
}

Result<std::vector<ValueType>> infer_center_crop_pad(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  HONE_TRY(type.shape, wanted_shape(in, in.type(0).shape, in.known_ints(1)));
  return std::vector<ValueType>{type};
}

Status eval_center_crop_pad(EvalContext& in) {
  const Tensor& x = in.in(0);
  Tensor& y = in.out();
  const std::vector<int64_t> x_strides = strides_of(x.shape());
  const std::vector<int64_t> y_strides = strides_of(y.shape());
  Shape common;
  int64_t x_start = 0;
  int64_t y_start = 0;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    const int64_t extra = x.shape()[i] - y.shape()[i];
    if (extra > 0) x_start += extra / 2 * x_strides[i];
    if (extra < 0) y_start += -extra / 2 * y_strides[i];
    common.push_back(std::min(x.shape()[i], y.shape()[i]));
  }
  if (elements(common) == 0) return Done{};
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = raw<T>(x) + x_start;
    T* to = mutable_raw<T>(y) + y_start;
    for (IndexWalk walk(common, {x_strides, y_strides}); !walk.done(); walk.next()) {
      to[walk.offset(1)] = from[walk.offset(0)];
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_center_crop_pad = {
    .name = "center_crop_pad",
    .summary = "A tensor cropped or padded around its centre.",
    .kind = OpKind::Movement,
    .inputs = {{"x", kAny}, {"shape", kIndex}},
    .attrs = {{"axes", Ints(), kAbsent}},
    .infer = infer_center_crop_pad,
    .eval = eval_center_crop_pad,
    .onnx = {{"CenterCropPad"}},
    .cases = {"(f32[4,5], i64[2]{6 3})"},
};

}  // namespace hone
