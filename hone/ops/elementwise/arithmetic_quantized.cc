// add, sub: both operands are brought to twice the larger of their scales with `shift` more bits,
//   added, and scaled to the output.
// mul: the product of the differences to the zero points, scaled to the output.
// div: the dividend times the fixed-point reciprocal of the divisor, scaled to the output.
// squared_difference: as sub with 7 more bits, squared before the output's scale.

#include "hone/ops/elementwise/arithmetic_quantized.h"

#include <bit>

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

struct Scales {
  double a;
  double b;
  double y;
};

Scales scales_of(const EvalContext& in) {
  return {scale_of(in.in(0)), scale_of(in.in(1)), in.out_type().tensor.quant->scale()};
}

Result<SumFactors> factors_below_one(const Scales& real) {
  for (const double factor : {real.a, real.b, real.y}) {
    if (factor >= 1) return unsupported("the output's scale is too small for its inputs'");
  }
  return SumFactors{fixed_point(real.a), fixed_point(real.b), fixed_point(real.y)};
}

Result<SumFactors> add_factors(const Scales& scale, int shift) {
  const double common = 2 * std::max(scale.a, scale.b);
  return factors_below_one(
      {scale.a / common, scale.b / common, common / (double(1 << shift) * scale.y)});
}

// TFLM's sub does this in single precision, which gives another multiplier now and then.
Result<SumFactors> sub_factors(const Scales& scale, int shift) {
  const auto a = static_cast<float>(scale.a);
  const auto b = static_cast<float>(scale.b);
  const float common = 2 * std::max(a, b);
  const float y = static_cast<float>(1 << shift) * static_cast<float>(scale.y);
  return factors_below_one({a / common, b / common, common / y});
}

// y = a + sign * b.
Status add_scaled(EvalContext& in, bool subtract) {
  Tensor& y = in.out();
  HONE_TRY(const SumFactors factors,
           sum_factors(in.in(0).type(), in.in(1).type(), y.type(), subtract));
  const int shift = sum_headroom(y.dtype());
  const int32_t sign = subtract ? -1 : 1;
  HONE_TRY(const IntRange range, activation_range(in.text("activation"), y.type()));
  const Rounding rounding = in.options().rounding;
  const int32_t a_zero = zero_point_of(in.in(0));
  const int32_t b_zero = zero_point_of(in.in(1));
  const int64_t y_zero = zero_point_of(y);
  dispatch_quantized(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), y, [&](T a, T b) {
      const int32_t left = scale_by((a - a_zero) * (1 << shift), factors.a, rounding);
      const int32_t right = scale_by((b - b_zero) * (1 << shift), factors.b, rounding);
      const int32_t sum = left + sign * right;
      return static_cast<T>(range.clamp(scale_by(sum, factors.y, rounding) + y_zero));
    });
  });
  return Done{};
}

Status check_types_arithmetic_quantized(const EvalContext& in) {
  if (in.out_type().tensor.dtype == in.in(0).dtype()) return Done{};
  return unsupported("output of type ", in.out_type().tensor.dtype, " from quantized ",
                     in.in(0).dtype());
}

// How far a number can be shifted left before its sign changes.
int sign_bits(int32_t x) {
  return std::countl_zero(static_cast<uint32_t>(x < 0 ? ~x : x)) - 1;
}

}  // namespace

int sum_headroom(DType dtype) {
  return dtype == DType::I16 ? 15 : 20;
}

Result<SumFactors> sum_factors(const TensorType& a, const TensorType& b, const TensorType& y,
                               bool subtract) {
  const Scales scales{a.quant->scale(), b.quant->scale(), y.quant->scale()};
  // Only TFLite proper has sub for uint8, in double precision.
  const auto factors_of = subtract && a.dtype != DType::U8 ? sub_factors : add_factors;
  return factors_of(scales, sum_headroom(a.dtype));
}

FixedPoint product_factor(const TensorType& a, const TensorType& b, const TensorType& y) {
  const float left = a.quant->scale();
  const float right = b.quant->scale();
  const float out = y.quant->scale();
  // As with sub, the uint8 kernel is TFLite's, here in single precision.
  return fixed_point(a.dtype == DType::U8 ? double{left * right / out}
                                          : double{left} * double{right} / double{out});
}

Status eval_add_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_arithmetic_quantized(in));
  return add_scaled(in, false);
}

Status eval_sub_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_arithmetic_quantized(in));
  return add_scaled(in, true);
}

Status eval_mul_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_arithmetic_quantized(in));
  Tensor& y = in.out();
  HONE_TRY(const IntRange range, activation_range(in.text("activation"), y.type()));
  const FixedPoint factor = product_factor(in.in(0).type(), in.in(1).type(), y.type());
  const Rounding rounding = in.options().rounding;
  const int32_t a_zero = zero_point_of(in.in(0));
  const int32_t b_zero = zero_point_of(in.in(1));
  const int64_t y_zero = zero_point_of(y);
  dispatch_quantized(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), y, [&](T a, T b) {
      const int64_t product = int64_t{a - a_zero} * int64_t{b - b_zero};
      const int32_t scaled = scale_by(static_cast<int32_t>(product), factor, rounding);
      return static_cast<T>(range.clamp(scaled + y_zero));
    });
  });
  return Done{};
}

Status eval_div_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_arithmetic_quantized(in));
  Tensor& y = in.out();
  if (y.dtype() != DType::U8) return unsupported("div of quantized ", y.dtype());
  HONE_TRY(const IntRange range, activation_range(in.text("activation"), y.type()));
  const FixedPoint factor =
      fixed_point(double{scale_of(in.in(0)) / (scale_of(in.in(1)) * scale_of(y))});
  // So that what is left of the shifts always goes to the right, as the kernel takes for granted.
  if (factor.shift > 23) return unsupported("the output's scale is too small for its inputs'");
  const int32_t a_zero = zero_point_of(in.in(0));
  const int32_t b_zero = zero_point_of(in.in(1));
  for (const uint8_t b : in.in(1).data<uint8_t>()) {
    if (b == b_zero && y.elements() > 0) return bad_input("a quantized number is divided by zero");
  }
  const Rounding rounding = in.options().rounding;
  broadcast_pairs<uint8_t, uint8_t, uint8_t>(in.in(0), in.in(1), y, [&](uint8_t a, uint8_t b) {
    const int32_t sign = b < b_zero ? -1 : 1;
    const int32_t dividend = (a - a_zero) * sign;
    const auto divisor = static_cast<uint32_t>((b - b_zero) * sign);
    const int above = std::countl_zero(divisor);
    const auto fraction = static_cast<int32_t>((divisor << above) - (uint32_t{1} << 31));
    const int headroom = sign_bits(dividend);
    const int32_t quotient =
        scale_by(dividend, {fixed_one_over_one_plus(fraction), headroom}, rounding);
    const int shift = factor.shift - (31 - above) - headroom;
    const int64_t scaled = scale_by(quotient, {factor.multiplier, shift}, rounding);
    return static_cast<uint8_t>(range.clamp(scaled + zero_point_of(y)));
  });
  return Done{};
}

Status eval_squared_difference_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_arithmetic_quantized(in));
  Tensor& y = in.out();
  if (y.dtype() != DType::I8) return unsupported("squared_difference of quantized ", y.dtype());
  constexpr int kMoreBits = 7;
  const Scales scale = scales_of(in);
  const double common = 2 * std::max(scale.a, scale.b);
  HONE_TRY(const SumFactors factors,
           factors_below_one({scale.a / common, scale.b / common,
                              common * common / (double(1 << 2 * kMoreBits) * scale.y)}));
  const Rounding rounding = in.options().rounding;
  const int32_t a_zero = zero_point_of(in.in(0));
  const int32_t b_zero = zero_point_of(in.in(1));
  const IntRange range = range_of(y.dtype());
  broadcast_pairs<int8_t, int8_t, int8_t>(in.in(0), in.in(1), y, [&](int8_t a, int8_t b) {
    const int32_t left = scale_by((a - a_zero) * (1 << kMoreBits), factors.a, rounding);
    const int32_t right = scale_by((b - b_zero) * (1 << kMoreBits), factors.b, rounding);
    const int32_t square = (left - right) * (left - right);
    return static_cast<int8_t>(
        range.clamp(int64_t{scale_by(square, factors.y, rounding)} + zero_point_of(y)));
  });
  return Done{};
}

}  // namespace hone
