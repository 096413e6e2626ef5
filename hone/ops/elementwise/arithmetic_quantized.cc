// add, sub: both operands are brought to twice the larger of their scales with `shift` more bits,
//   added, and scaled to the output.
// mul: the product of the differences to the zero points, scaled to the output.

#include "hone/ops/elementwise/arithmetic_quantized.h"

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/quant/integer.h"

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

struct Factors {
  FixedPoint a;
  FixedPoint b;
  FixedPoint y;
};

Result<Factors> factors_below_one(const Scales& real) {
  for (const double factor : {real.a, real.b, real.y}) {
    if (factor >= 1) return unsupported("the output's scale is too small for its inputs'");
  }
  return Factors{fixed_point(real.a), fixed_point(real.b), fixed_point(real.y)};
}

Result<Factors> add_factors(const Scales& scale, int shift) {
  const double common = 2 * std::max(scale.a, scale.b);
  return factors_below_one(
      {scale.a / common, scale.b / common, common / (double(1 << shift) * scale.y)});
}

// TFLM's sub does this in single precision, which gives another multiplier now and then.
Result<Factors> sub_factors(const Scales& scale, int shift) {
  const auto a = static_cast<float>(scale.a);
  const auto b = static_cast<float>(scale.b);
  const float common = 2 * std::max(a, b);
  const float y = static_cast<float>(1 << shift) * static_cast<float>(scale.y);
  return factors_below_one({a / common, b / common, common / y});
}

// y = a + sign * b.
Status add_scaled(EvalContext& in, const Factors& factors, int shift, int32_t sign) {
  Tensor& y = in.out();
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

// Bits that the operands are shifted by: as many as 32 leave room for.
int shift_of(const EvalContext& in) {
  return in.in(0).dtype() == DType::I16 ? 15 : 20;
}

Status check_types(const EvalContext& in) {
  if (in.out_type().tensor.dtype == in.in(0).dtype()) return Done{};
  return unsupported("output of type ", in.out_type().tensor.dtype, " from quantized ",
                     in.in(0).dtype());
}

}  // namespace

Status eval_add_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types(in));
  HONE_TRY(const Factors factors, add_factors(scales_of(in), shift_of(in)));
  return add_scaled(in, factors, shift_of(in), 1);
}

Status eval_sub_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types(in));
  // Only TFLite proper has it for uint8, in double precision.
  const auto factors_of = in.in(0).dtype() == DType::U8 ? add_factors : sub_factors;
  HONE_TRY(const Factors factors, factors_of(scales_of(in), shift_of(in)));
  return add_scaled(in, factors, shift_of(in), -1);
}

Status eval_mul_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types(in));
  Tensor& y = in.out();
  HONE_TRY(const IntRange range, activation_range(in.text("activation"), y.type()));
  const float a_scale = scale_of(in.in(0));
  const float b_scale = scale_of(in.in(1));
  // As with sub, the uint8 kernel is TFLite's, here in single precision.
  const double real = in.in(0).dtype() == DType::U8
                          ? double{a_scale * b_scale / scale_of(y)}
                          : double{a_scale} * double{b_scale} / double{scale_of(y)};
  const FixedPoint factor = fixed_point(real);
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

}  // namespace hone
