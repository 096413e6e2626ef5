// max_unpool(x, i): zeros but for y[i[k]] = x[k], the inverse of a max_pool with indices i. The
// indices count through the image that the attributes make of x; a larger output_shape adds zeros
// at the end of each axis.

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr int64_t kLargestSetting = int64_t{1} << 31;

Result<Ints> setting(const NodeContext& node, std::string_view name, size_t count,
                     int64_t smallest) {
  Ints values = node.ints(name);
  if (values.empty()) values.assign(count, smallest);
  if (values.size() != count) {
    return bad_input(name, " has ", values.size(), " numbers, expected ", count);
  }
  for (const int64_t value : values) {
    if (value < smallest) return bad_input(name, " has ", value, ", expected at least ", smallest);
    if (value > kLargestSetting) {
      return bad_input(name, " has ", value, ", expected at most ", kLargestSetting);
    }
  }
  return values;
}

// The shape of the image that was pooled.
Result<Shape> pooled_from(const NodeContext& node, const Shape& x) {
  if (x.size() < 3) return bad_input("an image has rank ", x.size(), ", expected 3 or more");
  const size_t rank = x.size() - 2;
  HONE_TRY(const Ints kernel, setting(node, "kernel_shape", rank, 1));
  HONE_TRY(const Ints strides, setting(node, "strides", rank, 1));
  HONE_TRY(const Ints pads, setting(node, "pads", 2 * rank, 0));
  Shape shape = x;
  for (size_t i = 0; i < rank; ++i) {
    int64_t& extent = shape[i + 2];
    if (extent == kUnknown) continue;
    if (extent > kLargestSetting) return bad_input("an image axis of ", extent, " is too large");
    extent = (extent - 1) * strides[i] - pads[i] - pads[rank + i] + kernel[i];
    if (extent < 0) return bad_input("pads leave an extent of ", extent);
  }
  return shape;
}

Result<std::vector<ValueType>> infer_max_unpool(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.ranked) return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  HONE_TRY(Shape shape, pooled_from(in, x.shape));
  if (!in.has(2)) return std::vector<ValueType>{TensorType{x.dtype, std::move(shape)}};
  const auto wanted = in.known_ints(2);
  if (!wanted) return std::vector<ValueType>{TensorType{x.dtype, Shape(shape.size(), kUnknown)}};
  if (wanted->size() != shape.size()) {
    return bad_input("output_shape has ", wanted->size(), " numbers, expected ", shape.size());
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((*wanted)[i] < std::max<int64_t>(shape[i], 0)) {
      return bad_input("output_shape [", join(*wanted), "] is smaller than ", text_of(shape));
    }
  }
  return std::vector<ValueType>{TensorType{x.dtype, *wanted}};
}

Status eval_max_unpool(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (in.in(1).shape() != x.shape()) {
    return bad_input("indices are of shape ", text_of(in.in(1).shape()), ", expected ",
                     text_of(x.shape()));
  }
  HONE_TRY(const Shape image, pooled_from(in, x.shape()));
  const auto image_strides = strides_of(image);
  const auto strides = strides_of(in.out().shape());
  const auto indices = in.in(1).data<int64_t>();
  const int64_t count = elements(image);
  return dispatch_float(x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const auto from = x.data<T>();
    const auto to = in.out().template mutable_data<T>();
    for (size_t k = 0; k < from.size(); ++k) {
      if (indices[k] < 0 || indices[k] >= count) {
        return bad_input("index ", indices[k], " is outside an image of ", count, " elements");
      }
      int64_t rest = indices[k];
      int64_t offset = 0;
      for (size_t i = 0; i < strides.size(); ++i) {
        offset += rest / image_strides[i] * strides[i];
        rest %= image_strides[i];
      }
      to[static_cast<size_t>(offset)] = from[k];
    }
    return Done{};
  });
}

}  // namespace

extern const OpDef op_max_unpool = {
    .name = "max_unpool",
    .summary = "Puts the elements that a max_pool kept back where they were.",
    .inputs = {{"x", kFloat},
               {"indices", DTypeSet{DType::I64}},
               {"output_shape", DTypeSet{DType::I64}, 0, kOptional}},
    .attrs = {{"kernel_shape", Ints{}, kRequired}, {"pads", Ints{}}, {"strides", Ints{}}},
    .infer = infer_max_unpool,
    .eval = eval_max_unpool,
    .onnx = {{"MaxUnpool"}},
    .cases = {"(f32[1,1,2,2], i64[1,1,2,2]{0 3 8 10}) kernel_shape=[2,2] strides=[2,2]"},
};

}  // namespace hone
