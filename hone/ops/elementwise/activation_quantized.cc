#include "hone/ops/elementwise/activation_quantized.h"

#include <cmath>

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/table_quantized.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/quant/table16.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

Status check_types_activation_quantized(const EvalContext& in, DTypeSet types) {
  const DType x = in.in(0).dtype();
  const DType y = in.out_type().tensor.dtype;
  if (x == y && types.contains(x)) return Done{};
  return unsupported(in.op().name, " from quantized ", x, " to ", y);
}

template <class T, class Fn>
void map(EvalContext& in, Fn fn) {
  const auto x = in.in(0).data<T>();
  const auto y = in.out().mutable_data<T>();
  for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(fn(int32_t{x[i]}));
}

// --- sigmoid and tanh of int8: fixed point with 4 integer bits, saturated beyond

constexpr int kInputBits = 4;

struct InputScaling {
  FixedPoint factor;
  int32_t radius;  // Inputs as large as this saturate.
};

InputScaling scale_to_input_bits(float scale) {
  const FixedPoint factor = fixed_point(double{scale} * (1 << (31 - kInputBits)));
  const double reach = 15.0 * (1 << (31 - kInputBits)) / std::ldexp(1.0, factor.shift);
  return {factor, static_cast<int32_t>(std::min(std::floor(reach), 1e9))};
}

template <class Fn>
void map_saturating(EvalContext& in, Fn inside) {
  const InputScaling scaling = scale_to_input_bits(scale_of(in.in(0)));
  const int32_t zero_point = zero_point_of(in.in(0));
  const Rounding rounding = in.options().rounding;
  map<int8_t>(in, [&](int32_t q) {
    const int32_t x = q - zero_point;
    if (x <= -scaling.radius) return -128;
    if (x >= scaling.radius) return 127;
    return std::clamp(inside(scale_by(x, scaling.factor, rounding)), -128, 127);
  });
}

// --- sigmoid and tanh of int16: the table of sigmoid(i / 24)

struct TableScaling {
  int32_t multiplier;
  int shift;
};

bool is_power_of_two(float scale, int exponent) {
  const float log2 = std::log(scale) * (1.0f / std::log(2.0f));
  return std::round(log2) == static_cast<float>(exponent) &&
         std::abs(log2 - std::round(log2)) < 1e-3f;
}

// Brings x to multiples of 1 / (3 * 4096).
Result<TableScaling> scale_to_table(const EvalContext& in, int largest_left_shift) {
  const float scale = scale_of(in.in(0));
  const Quantization& y = *in.out_type().tensor.quant;
  if (zero_point_of(in.in(0)) != 0 || y.zero_point() != 0 || !is_power_of_two(y.scale(), -15)) {
    return unsupported(in.op().name, " of i16 with zero points, or an output scale but 2^-15");
  }
  for (int left = 0; left <= largest_left_shift; ++left) {
    if (is_power_of_two(scale, left - 12)) return TableScaling{3 << left, 0};
  }
  double multiplier = double{scale} * 4096 * 3;
  int shift = 0;
  for (; multiplier <= 32767.0 / 2 && shift <= 30; ++shift) multiplier *= 2;
  if (multiplier > 32767) return unsupported(in.op().name, " of i16 with a scale of ", scale);
  return TableScaling{static_cast<int32_t>(multiplier), shift};
}

int32_t scaled(int32_t x, const TableScaling& scaling) {
  const int64_t round = scaling.shift > 0 ? int64_t{1} << (scaling.shift - 1) : 0;
  return static_cast<int32_t>((int64_t{x} * scaling.multiplier + round) >> scaling.shift);
}

// --- hard_swish: 16-bit arithmetic

int16_t saturate16(int64_t x) {
  return static_cast<int16_t>(std::clamp(x, int64_t{-32768}, int64_t{32767}));
}

// (a * b) / 2^15 rounded to nearest, or cut towards zero.
int16_t high_product(int16_t a, int16_t b, bool rounded) {
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((product + (rounded ? nudge : 0)) / (1 << 15));
}

struct Factor16 {
  int16_t multiplier;
  int exponent;
};

Factor16 factor16(double real) {
  const FixedPoint wide = fixed_point(real);
  constexpr int32_t kRoundingLimit = 0x7FFFFFFF - (1 << 15);
  const bool saturates = wide.multiplier >= kRoundingLimit;
  return {static_cast<int16_t>(saturates ? 32767 : (wide.multiplier + (1 << 15)) >> 16),
          wide.shift};
}

struct ActivationQuantizedHardSwish {
  int32_t x_zero;
  int32_t y_zero;
  Factor16 output;
  Factor16 gate;  // x to [-1, 1], which stands for [-3, 3].

  int32_t operator()(int32_t q) const {
    const auto x = static_cast<int16_t>((q - x_zero) * (1 << 7));
    const int16_t on_output_scale = high_product(x, output.multiplier, true);
    int16_t reach = x;
    // All but the last of a left shift before the product, so that saturation happens at the end.
    if (gate.exponent > 0) reach = saturate16(int64_t{reach} << std::min(gate.exponent - 1, 30));
    reach = high_product(reach, gate.multiplier, true);
    if (gate.exponent > 0) reach = saturate16(int64_t{reach} << 1);
    if (gate.exponent < 0) {
      reach = static_cast<int16_t>(rounding_divide_by_pot(reach, -gate.exponent));
    }
    const auto share = static_cast<int16_t>((reach + (1 << 15)) >> 1);
    const int16_t product = high_product(share, on_output_scale, false);
    return rounding_divide_by_pot(product, -output.exponent) + y_zero;
  }
};

}  // namespace

Status eval_sigmoid_quantized(EvalContext& in) {
  if (in.in(0).dtype() == DType::U8) return eval_sigmoid_table(in);
  HONE_RETURN_IF_ERROR(check_types_activation_quantized(in, DTypeSet{DType::I8, DType::I16}));
  if (in.in(0).dtype() == DType::I16) {
    HONE_TRY(const TableScaling scaling, scale_to_table(in, 0));
    map<int16_t>(in, [&](int32_t x) { return table_sigmoid(scaled(x, scaling)); });
    return Done{};
  }
  const Quantization& y = *in.out_type().tensor.quant;
  if (y.zero_point() != -128 || y.scale() != 1.0f / 256) {
    return unsupported("sigmoid to scale ", y.scale(), " and zero point ", y.zero_point());
  }
  map_saturating(in, [](int32_t x) {
    return rounding_divide_by_pot(fixed_sigmoid(x, kInputBits), 31 - 8) - 128;
  });
  return Done{};
}

Status eval_tanh_quantized(EvalContext& in) {
  if (in.in(0).dtype() == DType::U8) return eval_tanh_table(in);
  HONE_RETURN_IF_ERROR(check_types_activation_quantized(in, DTypeSet{DType::I8, DType::I16}));
  if (in.in(0).dtype() == DType::I16) {
    HONE_TRY(const TableScaling scaling, scale_to_table(in, 1));
    map<int16_t>(in, [&](int32_t x) { return table_tanh(scaled(x, scaling)); });
    return Done{};
  }
  const Quantization& y = *in.out_type().tensor.quant;
  if (y.zero_point() != 0 || y.scale() != 1.0f / 128) {
    return unsupported("tanh to scale ", y.scale(), " and zero point ", y.zero_point());
  }
  map_saturating(
      in, [](int32_t x) { return rounding_divide_by_pot(fixed_tanh(x, kInputBits), 31 - 7); });
  return Done{};
}

Status eval_hard_swish_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_activation_quantized(in, DTypeSet{DType::I8, DType::U8}));
  const float fine_scale = (1.0f / 128.0f) * scale_of(in.in(0));
  const TensorType& y = in.out_type().tensor;
  const ActivationQuantizedHardSwish function{zero_point_of(in.in(0)), y.quant->zero_point(),
                                              factor16(double{fine_scale / y.quant->scale()}),
                                              factor16(double{fine_scale / (3.0f / 32768.0f)})};
  if (function.output.exponent > 0) return unsupported("an output scale too small for the input's");
  const IntRange range = range_of(y.dtype);
  dispatch<int8_t, uint8_t>(y.dtype, [&](auto tag) {
    map<typename decltype(tag)::type>(in, [&](int32_t q) { return range.clamp(function(q)); });
  });
  return Done{};
}

Status eval_leaky_relu_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_activation_quantized(in, kQuantized));
  const TensorType& y = in.out_type().tensor;
  if (y.dtype == DType::I16 && (zero_point_of(in.in(0)) != 0 || y.quant->zero_point() != 0)) {
    return unsupported("leaky_relu of i16 with a zero point");
  }
  const float x_scale = scale_of(in.in(0));
  const auto alpha = static_cast<float>(in.real("alpha"));
  const FixedPoint above = fixed_point(double{x_scale / y.quant->scale()});
  const FixedPoint below = fixed_point(double{x_scale * alpha / y.quant->scale()});
  const int32_t zero_point = zero_point_of(in.in(0));
  const IntRange range = range_of(y.dtype);
  dispatch_quantized(y.dtype, [&](auto tag) {
    map<typename decltype(tag)::type>(in, [&](int32_t q) {
      const int32_t x = q - zero_point;
      const int64_t scaled_x = scale_by(x, x >= 0 ? above : below, in.options().rounding);
      return range.clamp(scaled_x + y.quant->zero_point());
    });
  });
  return Done{};
}

Status eval_prelu_quantized(EvalContext& in) {
  HONE_RETURN_IF_ERROR(check_types_activation_quantized(in, DTypeSet{DType::I8, DType::U8}));
  Tensor& y = in.out();
  const float x_scale = scale_of(in.in(0));
  const float slope_scale = scale_of(in.in(1));
  // Only TFLite proper has it for uint8, and divides the scales in single precision.
  const bool single = y.dtype() == DType::U8;
  const FixedPoint above =
      fixed_point(single ? double{x_scale / scale_of(y)} : double{x_scale} / double{scale_of(y)});
  const FixedPoint below =
      fixed_point(single ? double{x_scale * slope_scale / scale_of(y)}
                         : double{x_scale} * double{slope_scale} / double{scale_of(y)});
  const int32_t x_zero = zero_point_of(in.in(0));
  const int32_t slope_zero = zero_point_of(in.in(1));
  const IntRange range = range_of(y.dtype());
  const Rounding rounding = in.options().rounding;
  dispatch<int8_t, uint8_t>(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), y, [&](T q, T slope) {
      const int32_t x = q - x_zero;
      const int64_t value = x >= 0 ? scale_by(x, above, rounding)
                                   : scale_by(x * (slope - slope_zero), below, rounding);
      return static_cast<T>(range.clamp(value + y.type().quant->zero_point()));
    });
  });
  return Done{};
}

}  // namespace hone
