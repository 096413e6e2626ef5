// x - max - log(sum of exp(x - max)), with the exponentials of softmax_quantized.cc and a
// fixed-point logarithm. The result has scale 1/16 and its zero point at the top of the type.

#include <algorithm>

#include "hone/ops/quant/integer.h"
#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

constexpr int kOutputBits = 4;

template <class T>
Status log_softmax_row(const T* x, T* y, int64_t n, const DifferenceScaling& scaling,
                       FixedPoint reverse, Rounding rounding) {
  const int32_t max = *std::max_element(x, x + n);
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] - max < scaling.lowest) continue;
    const int32_t scaled = scale_by(x[i] - max, scaling.factor, rounding);
    sum += fixed_times_pot(fixed_exp_of_negative(scaled, kDifferenceBits), -kSumBits);
  }
  if (sum > 0x7FFFFFFF) return unsupported("a sum of exponentials of 4096 and more");
  const int32_t log = fixed_log(static_cast<int32_t>(sum));
  // Below this the subtraction of the logarithm would leave 32 bits.
  const auto lowest = static_cast<int32_t>(static_cast<uint32_t>(log) + (uint32_t{1} << 31));
  const int32_t limit = std::max(scaling.lowest - 1, scale_by(lowest, reverse, rounding));
  const IntRange range = range_of(kDTypeOf<T>);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t difference = x[i] - max;
    y[i] = static_cast<T>(range.low);
    if (difference <= limit) continue;
    const int64_t result = int64_t{scale_by(difference, scaling.factor, rounding)} - log;
    const int32_t steps =
        rounding_divide_by_pot(static_cast<int32_t>(result), 31 - kDifferenceBits - kOutputBits);
    y[i] = static_cast<T>(range.clamp(int64_t{steps} + range.high));
  }
  return Done{};
}

}  // namespace

Status check_log_softmax_quantized(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kFloat));
  const TensorType& x = in.type(0);
  const TensorType& y = in.declared(0);
  if (!x.quantized()) return Done{};
  const int64_t axis = in.integer("axis");
  if (x.ranked && axis != -1 && axis != x.rank() - 1) {
    return unsupported("quantized values along axis ", axis, ", which is not the last");
  }
  if (x.dtype != y.dtype || x.dtype == DType::I16) {
    return unsupported("log_softmax from quantized ", x.dtype, " to ", y.dtype);
  }
  const int32_t top = range_of(y.dtype).high;
  if (y.quant->scale() != 1.0f / 16 || y.quant->zero_point() != top) {
    return unsupported("output of scale ", y.quant->scale(), " and zero point ",
                       y.quant->zero_point(), ", expected 0.0625 and ", top);
  }
  return Done{};
}

Status eval_log_softmax_quantized(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (x.elements() == 0) return Done{};
  const Rounding rounding = in.options().rounding;
  const DifferenceScaling scaling = difference_scaling(scale_of(x), rounding);
  if (scaling.factor.shift < 2) return unsupported("log_softmax of a scale of ", scale_of(x));
  const double ratio = double(int64_t{1} << (31 - scaling.factor.shift));
  const FixedPoint reverse = fixed_point(ratio / scaling.factor.multiplier);
  const int64_t n = x.rank() == 0 ? 1 : x.shape().back();
  return dispatch<int8_t, uint8_t>(x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>().data();
    T* to = in.out().template mutable_data<T>().data();
    for (int64_t row = 0; row < x.elements() / n; ++row) {
      HONE_RETURN_IF_ERROR(
          log_softmax_row(from + row * n, to + row * n, n, scaling, reverse, rounding));
    }
    return Done{};
  });
}

}  // namespace hone
