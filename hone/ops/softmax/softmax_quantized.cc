// 8 bits: the differences to the largest element are brought to 5 integer bits and their
// exponentials taken in fixed point; the sum has 12 integer bits. 16 bits: exp and 1 / (1 + x) are
// read from tables of 512 pieces and interpolated.

#include "hone/ops/softmax/softmax_quantized.h"

#include <array>
#include <bit>
#include <cmath>

#include "hone/ops/quant/integer.h"
#include "hone/ops/quant/table16.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

// What the output must be scaled by: every kernel has its result in a fixed format.
Status check_output(const TensorType& x, const TensorType& y) {
  struct Row {
    DType x, y;
    float scale;
    int32_t zero_point;
  };
  static constexpr Row kRows[] = {{DType::I8, DType::I8, 1.0f / 256, -128},
                                  {DType::U8, DType::U8, 1.0f / 256, 0},
                                  {DType::I8, DType::I16, 1.0f / 65536, -32768},
                                  {DType::I16, DType::I16, 1.0f / 32768, 0}};
  for (const Row& row : kRows) {
    if (row.x != x.dtype || row.y != y.dtype) continue;
    if (std::abs(y.quant->scale() - row.scale) <= 0.001f * row.scale &&
        y.quant->zero_point() == row.zero_point) {
      return Done{};
    }
    return unsupported("output of scale ", y.quant->scale(), " and zero point ",
                       y.quant->zero_point(), ", expected ", row.scale, " and ", row.zero_point);
  }
  return unsupported("softmax from quantized ", x.dtype, " to ", y.dtype);
}

// exp of a difference that is not below `lowest`, with 0 integer bits.
int32_t exp_of(int32_t difference, const DifferenceScaling& scaling, Rounding rounding) {
  return fixed_exp_of_negative(scale_by(difference, scaling.factor, rounding), kDifferenceBits);
}

template <class X, class Y>
void softmax_row(const X* x, Y* y, int64_t n, const DifferenceScaling& scaling, Rounding rounding) {
  const int32_t max = *std::max_element(x, x + n);
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t difference = x[i] - max;
    if (difference < scaling.lowest) continue;
    const int32_t term = fixed_times_pot(exp_of(difference, scaling, rounding), -kSumBits);
    sum += static_cast<uint32_t>(term);
  }
  const int headroom = std::countl_zero(sum);
  const auto above_one = static_cast<int32_t>((sum << headroom) - (uint32_t{1} << 31));
  const int32_t reciprocal = fixed_one_over_one_plus(above_one);
  const int shift = kSumBits - headroom + 31 - static_cast<int>(8 * sizeof(Y));
  const IntRange range = range_of(kDTypeOf<Y>);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t difference = x[i] - max;
    int32_t value = 0;
    if (difference >= scaling.lowest) {
      value = rounding_divide_by_pot(
          saturating_rounding_doubling_high_mul(reciprocal, exp_of(difference, scaling, rounding)),
          shift);
    }
    y[i] = static_cast<Y>(range.clamp(int64_t{value} + range.low));
  }
}

const Table16& exp_table() {
  static const Table16 kTable =
      make_table16([](float x) { return std::exp(x); }, {10.0f / 65535, 32767}, {2.0f / 65535, 0});
  return kTable;
}

const Table16& reciprocal_table() {
  static const Table16 kTable =
      make_table16([](float x) { return 1 / (1 + x); }, {1.0f / 65535, -32768}, {2.0f / 65535, 0});
  return kTable;
}

int16_t saturate16(int32_t x) {
  return static_cast<int16_t>(std::clamp(x, -32768, 32767));
}

// Differences of -65535 .. 0 stand for -10 .. 0.
void softmax_row16(const int16_t* x, int16_t* y, int64_t n, FixedPoint factor, Rounding rounding) {
  const int32_t max = *std::max_element(x, x + n);
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t scaled = scale_by(x[i] - max, factor, rounding);
    y[i] = lookup16(exp_table(), saturate16(std::max(scaled, -65536) + 32767));
    sum += static_cast<uint32_t>(y[i]);
  }
  const int headroom = std::countl_zero(sum);
  const int64_t shifted = ((int64_t{sum} << (headroom - 1)) + (1 << 13)) >> 14;
  const int16_t above_one = saturate16(static_cast<int32_t>(shifted - (1 << 15) - (1 << 16)));
  const int64_t reciprocal = lookup16(reciprocal_table(), above_one);
  const int right = 31 - headroom;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t product = y[i] * reciprocal + (int64_t{1} << (right - 1));
    y[i] = static_cast<int16_t>(std::clamp(product >> right, int64_t{0}, int64_t{32767}));
  }
}

template <class X, class Y>
void run_rows(EvalContext& in, int64_t rows, int64_t n) {
  const Rounding rounding = in.options().rounding;
  const X* x = in.in(0).data<X>().data();
  Y* y = in.out().mutable_data<Y>().data();
  const float scale = scale_of(in.in(0));
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    if constexpr (std::is_same_v<X, int16_t>) {
      softmax_row16(x, y, n, fixed_point(double{scale} / (10.0 / 65535.0)), rounding);
    } else {
      softmax_row(x, y, n, difference_scaling(scale, rounding), rounding);
    }
  }
}

}  // namespace

std::vector<int32_t> byte_exponentials(float scale, Rounding rounding) {
  const DifferenceScaling scaling = difference_scaling(scale, rounding);
  std::vector<int32_t> table(256);
  for (int32_t below = 0; below < 256; ++below) {
    if (-below < scaling.lowest) break;
    table[static_cast<size_t>(below)] = exp_of(-below, scaling, rounding);
  }
  return table;
}

DifferenceScaling difference_scaling(float scale, Rounding rounding) {
  const double limit = (rounding == Rounding::Single ? 0x1p30 : 0x1p31) - 1;
  const double real = std::min(double{scale} * (1 << (31 - kDifferenceBits)), limit);
  const FixedPoint factor = fixed_point(real);
  // The largest difference that stays within the integer bits once scaled.
  const double reach = 31.0 * (1 << (31 - kDifferenceBits)) / std::ldexp(1.0, factor.shift);
  return {factor, -static_cast<int32_t>(std::min(std::floor(reach), 1e9))};
}

Status check_softmax_quantized(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kFloat));
  const TensorType& x = in.type(0);
  if (!x.quantized()) return Done{};
  const int64_t axis = in.integer("axis");
  if (x.ranked && axis != -1 && axis != x.rank() - 1) {
    return unsupported("softmax of quantized values along axis ", axis, ", which is not the last");
  }
  return check_output(x, in.declared(0));
}

Status eval_softmax_quantized(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (x.elements() == 0) return Done{};
  const int64_t n = x.shape().back();
  const int64_t rows = x.elements() / n;
  if (x.dtype() == DType::I16) {
    run_rows<int16_t, int16_t>(in, rows, n);
  } else if (x.dtype() == DType::U8) {
    run_rows<uint8_t, uint8_t>(in, rows, n);
  } else if (in.out_type().tensor.dtype == DType::I16) {
    run_rows<int8_t, int16_t>(in, rows, n);
  } else {
    run_rows<int8_t, int8_t>(in, rows, n);
  }
  return Done{};
}

}  // namespace hone
