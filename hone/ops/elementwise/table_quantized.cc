// 8 bits: y = round(f(x) / scale) + zero point for each of the 256 numbers. 16 bits: 512 pieces,
// interpolated (quant/table16.h).

#include "hone/ops/elementwise/table_quantized.h"

#include <array>
#include <cmath>
#include <functional>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/quant/table16.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

using Function = std::function<float(float)>;

constexpr DTypeSet kInt8{DType::I8};
constexpr DTypeSet kTableBytes{DType::I8, DType::U8};
constexpr DTypeSet kSignedTypes{DType::I8, DType::I16};

// The types that TFLite has a kernel for; its 16-bit ones take no zero points.
Status check_types_table_quantized(const EvalContext& in, DTypeSet types) {
  const TensorType& x = in.in(0).type();
  const TensorType& y = in.out_type().tensor;
  if (x.dtype != y.dtype || !types.contains(x.dtype)) {
    return unsupported(in.op().name, " from quantized ", x.dtype, " to ", y.dtype);
  }
  if (x.dtype == DType::I16 && (x.quant->zero_point() != 0 || y.quant->zero_point() != 0)) {
    return unsupported(in.op().name, " of i16 with a zero point");
  }
  return Done{};
}

template <class T, class Fn>
void map_bytes(EvalContext& in, Fn fn) {
  const auto x = in.in(0).data<T>();
  const auto y = in.out().mutable_data<T>();
  for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(fn(x[i]));
}

float real_of(const Tensor& x, int32_t stored) {
  return scale_of(x) * static_cast<float>(stored - zero_point_of(x));
}

template <class T>
void eval_table8(EvalContext& in, const Function& function) {
  const Quantization& y = *in.out_type().tensor.quant;
  const IntRange range = range_of(kDTypeOf<T>);
  const float inverse = 1 / y.scale();
  std::array<T, 256> table;
  for (int32_t q = range.low; q <= range.high; ++q) {
    const float steps = std::round(function(real_of(in.in(0), q)) * inverse);
    const int64_t cut = saturate_to<int32_t>(double{steps});
    table[static_cast<size_t>(q - range.low)] = static_cast<T>(range.clamp(cut + y.zero_point()));
  }
  map_bytes<T>(in, [&](T q) { return table[static_cast<size_t>(q - range.low)]; });
}

Status eval_table(EvalContext& in, DTypeSet types, const Function& function) {
  HONE_RETURN_IF_ERROR(check_types_table_quantized(in, types));
  const Quantization& x = *in.in(0).type().quant;
  const Quantization& y = *in.out_type().tensor.quant;
  if (in.in(0).dtype() == DType::I16) {
    const Table16 table = make_table16(function, {x.scale(), 0}, {y.scale(), 0});
    map_bytes<int16_t>(in, [&](int16_t q) { return lookup16(table, q); });
  } else if (in.in(0).dtype() == DType::U8) {
    eval_table8<uint8_t>(in, function);
  } else {
    eval_table8<int8_t>(in, function);
  }
  return Done{};
}

// The real number that the type's lowest or highest value stands for in the output.
float output_end(const EvalContext& in, bool high) {
  const TensorType& y = in.out_type().tensor;
  const IntRange range = range_of(y.dtype);
  return static_cast<float>((high ? range.high : range.low) - y.quant->zero_point()) *
         y.quant->scale();
}

Status check_not_negative(const EvalContext& in) {
  for (const int64_t q : to_ints(in.in(0))) {
    if (q < zero_point_of(in.in(0))) return bad_input(in.op().name, " of a negative number");
  }
  return Done{};
}

// 1 / sqrt in fixed point with 20 more bits, then the scales.
Status eval_rsqrt8(EvalContext& in) {
  const Quantization& y = *in.out_type().tensor.quant;
  constexpr int kMoreBits = 20;
  FixedPoint factor = fixed_point(1.0 / double{std::sqrt(scale_of(in.in(0))) * y.scale()});
  factor.shift -= kMoreBits;
  const Rounding rounding = in.options().rounding;
  const IntRange range = range_of(DType::I8);
  map_bytes<int8_t>(in, [&](int8_t q) {
    const int32_t x = q - zero_point_of(in.in(0));
    if (x == 0) return range.high;
    FixedPoint root = fixed_inverse_sqrt(x);
    root.shift += kMoreBits;
    const int64_t scaled = scale_by(scale_by(1, root, rounding), factor, rounding);
    return range.clamp(scaled + y.zero_point());
  });
  return Done{};
}

template <class T>
void map_abs(EvalContext& in) {
  const TensorType& y = in.out_type().tensor;
  const IntRange range = range_of(y.dtype);
  const float ratio = scale_of(in.in(0)) / y.quant->scale();
  const FixedPoint factor = fixed_point(double{ratio});
  map_bytes<T>(in, [&](T q) {
    const int32_t x = std::abs(int32_t{q} - zero_point_of(in.in(0)));
    const int64_t scaled = ratio == 1 ? x : scale_by(x, factor, in.options().rounding);
    return range.clamp(scaled + y.quant->zero_point());
  });
}

template <class T>
void map_sqrt(EvalContext& in) {
  const TensorType& y = in.out_type().tensor;
  const IntRange range = range_of(y.dtype);
  map_bytes<T>(in, [&](T q) {
    // Cut towards zero, not rounded.
    const float steps = std::sqrt(real_of(in.in(0), q)) / y.quant->scale();
    return range.clamp(static_cast<int64_t>(std::min(steps, 1e9f)) + y.quant->zero_point());
  });
}

}  // namespace

Status eval_exp_quantized(EvalContext& in) {
  return eval_table(in, kSignedTypes, [](float x) { return std::exp(x); });
}

// What has no logarithm becomes the lowest number.
Status eval_log_quantized(EvalContext& in) {
  const float lowest = output_end(in, false);
  return eval_table(in, kSignedTypes, [&](float x) { return x <= 0 ? lowest : std::log(x); });
}

Status eval_sqrt_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_table_quantized(in, kSignedTypes));
  HONE_RETURN_IF_ERROR(check_not_negative(in));
  dispatch<int8_t, int16_t>(in.in(0).dtype(),
                            [&](auto tag) { map_sqrt<typename decltype(tag)::type>(in); });
  return Done{};
}

Status eval_rsqrt_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_table_quantized(in, kSignedTypes));
  HONE_RETURN_IF_ERROR(check_not_negative(in));
  if (in.in(0).dtype() == DType::I8) return eval_rsqrt8(in);
  const float highest = output_end(in, true);
  return eval_table(in, kSignedTypes,
                    [&](float x) { return x <= 0 ? highest : 1.0f / std::sqrt(x); });
}

Status eval_abs_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_table_quantized(in, kSignedTypes));
  dispatch<int8_t, int16_t>(in.in(0).dtype(),
                            [&](auto tag) { map_abs<typename decltype(tag)::type>(in); });
  return Done{};
}

// TFLite's; TFLM subtracts 1 from exp(x), which loses a few bits near zero.
Status eval_elu_quantized(EvalContext& in) {
  if (in.real("alpha") != 1) return unsupported("elu of quantized values with alpha");
  return eval_table(in, kInt8, [](float x) { return x < 0 ? std::expm1(x) : x; });
}

Status eval_gelu_quantized(EvalContext& in) {
  if (in.text("approximate") == "none") {
    return eval_table(in, kTableBytes, [](float x) {
      return 0.5f * x * std::erfc(x * static_cast<float>(-M_SQRT1_2));
    });
  }
  constexpr auto kRootOfTwoOverPi = static_cast<float>(M_2_SQRTPI * M_SQRT1_2);
  return eval_table(in, kTableBytes, [&](float x) {
    return 0.5f * x * (1.0f + std::tanh(kRootOfTwoOverPi * (x + 0.044715f * x * x * x)));
  });
}

Status eval_sigmoid_table(EvalContext& in) {
  const float scale = in.out_type().tensor.quant->scale();
  if (scale != 1.0f / 256) return unsupported("sigmoid of u8 to a scale of ", scale);
  return eval_table(in, kTableBytes, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
}

Status eval_tanh_table(EvalContext& in) {
  return eval_table(in, kTableBytes, [](float x) { return std::tanh(x); });
}

}  // namespace hone
