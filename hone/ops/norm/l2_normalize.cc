// y = x / |x| along the last axis, of quantized values as TFLite's reference kernels compute it:
// the square of the length as an integer, its inverse square root in fixed point. The result has
// scale 1/128 and a zero point of 0, or 128 for uint8.

#include "hone/ops/common.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_l2_normalize(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, {}));
  const TensorType& x = in.type(0);
  const TensorType& y = in.declared(0);
  if (x.ranked && x.rank() < 1) return bad_input("the input is ", x, ", expected an axis");
  if (!x.quantized()) return infer_same(in);
  if (x.dtype != y.dtype || x.dtype == DType::I16) {
    return unsupported("from quantized ", x.dtype, " to ", y.dtype);
  }
  if (y.quant->scale() != 1.0f / 128 || y.quant->zero_point() != (y.dtype == DType::U8 ? 128 : 0)) {
    return unsupported("output of scale ", y.quant->scale(), " and zero point ",
                       y.quant->zero_point());
  }
  return infer_same(in);
}

template <class T>
void normalize_row(const T* x, T* y, int64_t n, int32_t x_zero, int32_t y_zero, Rounding rounding) {
  uint32_t square = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t steps = x[i] - x_zero;
    square += static_cast<uint32_t>(steps * steps);
  }
  FixedPoint factor = fixed_inverse_sqrt(static_cast<int32_t>(square));
  // uint8 multiplies its elements by 128 first, int8 leaves that to the factor.
  constexpr bool kOld = std::is_same_v<T, uint8_t>;
  if (!kOld) factor.shift += 7;
  const IntRange range = range_of(kDTypeOf<T>);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t steps = (x[i] - x_zero) * (kOld ? 128 : 1);
    y[i] = static_cast<T>(range.clamp(int64_t{scale_by(steps, factor, rounding)} + y_zero));
  }
}

Status eval_l2_normalize(EvalContext& in) {
  const Tensor& x = in.in(0);
  Tensor& y = in.out();
  if (x.elements() == 0) return Done{};
  const int64_t n = x.shape().back();
  // More could leave 32 bits: 2^15 squares of at most 2^16.
  if (n > 1 << 15) return unsupported("rows of ", n, " quantized elements");
  dispatch<int8_t, uint8_t>(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>().data();
    T* to = y.mutable_data<T>().data();
    for (int64_t i = 0; i < x.elements(); i += n) {
      normalize_row(from + i, to + i, n, zero_point_of(x), zero_point_of(y), in.options().rounding);
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_l2_normalize = {
    .name = "l2_normalize",
    .summary = "Quantized values divided by the length of their row.",
    .inputs = {{"x", DTypeSet{DType::I8, DType::U8}}},
    .quantized = true,
    .infer = infer_l2_normalize,
    .cost = cost_per_element<3>,
    .eval = eval_l2_normalize,
    .cases = {"i8[2,8]<0.0078125:0> = (i8[2,8]<0.1:3>)"},
};

}  // namespace hone
