#include "hone/ops/quant/weighted.h"

#include <cmath>

namespace hone {
namespace {

Status check_same_types(const InferContext& in, DTypeSet plain) {
  const DType dtype = in.dtype(0);
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.has(i) || in.dtype(i) == DType::Undefined) continue;
    if (!plain.contains(in.dtype(i))) {
      return unsupported("input ", i, " is ", in.dtype(i),
                         " without quantization, expected one of ", plain);
    }
    if (dtype != DType::Undefined && in.dtype(i) != dtype) {
      return bad_input("input ", i, " is of type ", in.dtype(i), ", expected ", dtype,
                       " as of input 0");
    }
  }
  return Done{};
}

Status check_weights(const TensorType& w, int channels) {
  if (!w.quantized()) return unsupported("the weights are not quantized, but the input is");
  if (!w.quant->per_tensor() && w.quant->axis != channels) {
    return unsupported("weights quantized along axis ", w.quant->axis, ", expected ", channels);
  }
  return Done{};
}

bool fit_together(DType x, DType w) {
  if (x == DType::U8) return w == DType::U8 || w == DType::I8;
  return w == DType::I8 || w == DType::I4;
}

Status check_integer(const InferContext& in, int channels) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, {}));
  HONE_RETURN_IF_ERROR(check_weights(in.type(1), channels));
  if (in.declared(0).dtype != in.dtype(0)) {
    return unsupported("output of type ", in.declared(0).dtype, " from input of type ",
                       in.dtype(0));
  }
  if (!fit_together(in.dtype(0), in.dtype(1))) {
    return unsupported("quantized ", in.dtype(0), " with weights of ", in.dtype(1));
  }
  if (!in.has(2)) return Done{};
  const DType bias = in.dtype(2);
  if (bias == DType::I32 || (bias == DType::I64 && in.dtype(0) == DType::I16)) return Done{};
  return unsupported("quantized ", in.dtype(0), " with a bias of ", bias);
}

Status check_hybrid(const InferContext& in, int channels) {
  HONE_RETURN_IF_ERROR(check_weights(in.type(1), channels));
  const bool float_bias = !in.has(2) || in.dtype(2) == DType::F32;
  if (in.dtype(0) != DType::F32 || in.dtype(1) != DType::I8 || !float_bias) {
    return unsupported("input ", in.dtype(0), " with quantized weights of ", in.dtype(1),
                       ": only f32 with i8 and a bias of f32 is");
  }
  return Done{};
}

int32_t scaled(uint32_t sum, FixedPoint factor, Rounding rounding) {
  return scale_by(static_cast<int32_t>(sum), factor, rounding);
}
int32_t scaled(uint64_t sum, FixedPoint factor, Rounding) {
  return scale_wide(static_cast<int64_t>(sum), factor);
}

// Calls fn(offset, channel) for every output element.
template <class Fn>
void for_each_output(size_t count, Channels channels, Fn fn) {
  if (channels.count == 0 || channels.stride == 0) return;
  size_t i = 0;
  while (i < count) {
    for (int64_t c = 0; c < channels.count; ++c) {
      for (int64_t k = 0; k < channels.stride; ++k) fn(i++, static_cast<size_t>(c));
    }
  }
}

HybridRow symmetric(float min, float max) {
  const float reach = std::max(-min, max);
  if (reach == 0) return {.low = -127};
  return {.scale = reach / 127, .inverse = 127 / reach, .low = -127};
}

HybridRow asymmetric(float min, float max) {
  const double low = std::min(min, 0.0f);
  const double high = std::max(max, 0.0f);
  if (low == high) return {};
  const double scale = (high - low) / 255;
  const double from_low = -128 - low / scale;
  const double from_high = 127 - high / scale;
  // The end of the range where rounding errors are smaller decides.
  const bool low_is_better = 128 + std::abs(low / scale) < 127 + std::abs(high / scale);
  const double zero_point = std::clamp(low_is_better ? from_low : from_high, -128.0, 127.0);
  HybridRow row{.scale = static_cast<float>(scale)};
  row.inverse = 1 / row.scale;
  // Infinite ends have no quotient.
  if (!std::isnan(zero_point)) row.zero_point = static_cast<int32_t>(std::round(zero_point));
  return row;
}

// One row. NaN and infinite elements make no sense here; they become what their cut value is.
void quantize_row(std::span<const float> x, HybridRange range, uint32_t* y, float& scale) {
  float min = 0;
  float max = 0;
  for (const float value : x) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  const HybridRow row = hybrid_row(min, max, range);
  for (const float value : x) {
    const float steps = std::round(static_cast<float>(row.zero_point) + value * row.inverse);
    const float cut = std::isnan(steps) ? 0.0f : std::clamp(steps, row.low, 127.0f);
    *y++ = static_cast<uint32_t>(static_cast<int32_t>(cut) - row.zero_point);
  }
  scale = row.scale;
}

}  // namespace

std::vector<FixedPoint> output_factors(const TensorType& x, const TensorType& w,
                                       const TensorType& y, int64_t channels,
                                       ScaleProduct product) {
  const float x_scale = x.quant->scale();
  const double y_scale = y.quant->scale();
  const bool in_float = product == ScaleProduct::Float && w.quant->per_tensor();
  std::vector<FixedPoint> factors;
  for (int64_t c = 0; c < channels; ++c) {
    const float w_scale = w.quant->scale(static_cast<size_t>(c));
    const double scale = in_float ? double{x_scale * w_scale} : double{x_scale} * double{w_scale};
    factors.push_back(fixed_point(scale / y_scale));
  }
  return factors;
}

Status check_weighted(const InferContext& in, DTypeSet plain, int channels) {
  if (in.dtype(0) == DType::Undefined || in.dtype(1) == DType::Undefined) return Done{};
  if (in.type(0).quantized()) return check_integer(in, channels);
  if (in.type(1).quantized()) return check_hybrid(in, channels);
  return check_same_types(in, plain);
}

template <class Wide>
std::vector<Wide> less_zero_points(const Tensor& tensor) {
  const std::vector<int64_t> stored = to_ints(tensor);
  const Quantization& quant = *tensor.type().quant;
  const AxisSplit split = quant.per_tensor()
                              ? AxisSplit{1, 1, tensor.elements()}
                              : split_at(tensor.shape(), static_cast<size_t>(quant.axis));
  std::vector<Wide> values(stored.size());
  for_each_output(stored.size(), {split.n, split.inner}, [&](size_t i, size_t c) {
    values[i] = static_cast<Wide>(stored[i] - quant.zero_point(c));
  });
  return values;
}
template std::vector<uint32_t> less_zero_points(const Tensor& tensor);
template std::vector<uint64_t> less_zero_points(const Tensor& tensor);

template <class Wide>
std::vector<Wide> bias_of(const Tensor& tensor) {
  const std::vector<int64_t> stored = to_ints(tensor);
  return {stored.begin(), stored.end()};
}
template std::vector<uint32_t> bias_of(const Tensor& tensor);
template std::vector<uint64_t> bias_of(const Tensor& tensor);

template <class Wide>
Status store_sums(EvalContext& in, const std::vector<Wide>& sums, Channels channels,
                  ScaleProduct product) {
  Tensor& y = in.out();
  HONE_TRY(const IntRange range, activation_range(in.text("activation"), y.type()));
  const std::vector<FixedPoint> factors = output_factors(
      in.in(0).type(), in.in(1).type(), in.out_type().tensor, channels.count, product);
  const int64_t zero_point = zero_point_of(y);
  const Rounding rounding = in.options().rounding;
  dispatch_quantized(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = y.mutable_data<T>().data();
    for_each_output(sums.size(), channels, [&](size_t i, size_t c) {
      to[i] = static_cast<T>(range.clamp(scaled(sums[i], factors[c], rounding) + zero_point));
    });
  });
  return Done{};
}
template Status store_sums(EvalContext&, const std::vector<uint32_t>&, Channels, ScaleProduct);
template Status store_sums(EvalContext&, const std::vector<uint64_t>&, Channels, ScaleProduct);

HybridRow hybrid_row(float min, float max, HybridRange range) {
  return range == HybridRange::Symmetric ? symmetric(min, max) : asymmetric(min, max);
}

HybridRows quantize_rows(const Tensor& x, int64_t rows, HybridRange range) {
  HybridRows result;
  result.values.resize(static_cast<size_t>(x.elements()));
  result.scales.resize(static_cast<size_t>(rows));
  const size_t length = rows == 0 ? 0 : result.values.size() / static_cast<size_t>(rows);
  for (size_t r = 0; r < result.scales.size(); ++r) {
    quantize_row(x.data<float>().subspan(r * length, length), range,
                 result.values.data() + r * length, result.scales[r]);
  }
  return result;
}

void store_hybrid(EvalContext& in, const std::vector<uint32_t>& sums, const HybridRows& rows,
                  Channels channels) {
  Tensor& y = in.out();
  const Quantization& weights = *in.in(1).type().quant;
  const float* bias = in.has(2) ? in.in(2).data<float>().data() : nullptr;
  const size_t row = rows.scales.empty() ? 1 : sums.size() / rows.scales.size();
  const auto to = y.mutable_data<float>();
  for_each_output(sums.size(), channels, [&](size_t i, size_t c) {
    const float sum = static_cast<float>(static_cast<int32_t>(sums[i]));
    to[i] = sum * (rows.scales[i / row] * weights.scale(c));
    if (bias != nullptr) to[i] += bias[c];
  });
  activate_all(y, in);
}

Tensor expanded_weights(const Tensor& stored) {
  const Quantization& quant = *stored.type().quant;
  const std::vector<uint32_t> steps = less_zero_points<uint32_t>(stored);
  Tensor expanded(TensorType{DType::F32, stored.shape()});
  const AxisSplit split = quant.per_tensor()
                              ? AxisSplit{1, 1, stored.elements()}
                              : split_at(stored.shape(), static_cast<size_t>(quant.axis));
  const auto to = expanded.mutable_data<float>();
  for_each_output(steps.size(), {split.n, split.inner}, [&](size_t i, size_t c) {
    to[i] = static_cast<float>(static_cast<int32_t>(steps[i])) * quant.scale(c);
  });
  return expanded;
}

Status eval_expanded(EvalContext& in, Status (*eval_float)(EvalContext&)) {
  const Item weights(expanded_weights(in.in(1)));
  std::vector<const Item*> inputs{&in.item(0), &weights};
  if (in.has(2)) inputs.push_back(&in.item(2));
  EvalContext inner(in.op(), in.node(), std::move(inputs), {in.out_type()}, in.options(), nullptr);
  HONE_RETURN_IF_ERROR(eval_float(inner));
  in.set(0, std::move(inner.take_outputs()[0]));
  return Done{};
}

}  // namespace hone
