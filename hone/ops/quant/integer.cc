#include "hone/ops/quant/integer.h"

#include <cmath>
#include <limits>

namespace hone {
namespace {

// The zero point is one of the values, so that differences of stored values fit 17 bits.
Status check_activation_type(const TensorType& type, std::string_view what) {
  if (!type.quantized()) return unsupported(what, " is not quantized, though others are");
  if (!kQuantized.contains(type.dtype)) {
    return unsupported(what, " is quantized ", type.dtype, ", expected one of ", kQuantized);
  }
  if (!type.quant->per_tensor()) return unsupported(what, " is quantized per channel");
  const IntRange range = range_of(type.dtype);
  const int32_t zero_point = type.quant->zero_point();
  if (zero_point < range.low || zero_point > range.high) {
    return bad_input(what, " has zero point ", zero_point, ", which ", type.dtype,
                     " does not hold");
  }
  return Done{};
}

template <class T>
IntRange limits() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// The stored value nearest to `real`.
int64_t quantized(float real, const Quantization& quant) {
  const float steps = std::round(real / quant.scale());
  // Beyond this every type is cut anyway.
  return static_cast<int64_t>(std::clamp(steps, -1e9f, 1e9f)) + quant.zero_point();
}

}  // namespace

Status check_quantized(const InferContext& in, size_t inputs, DTypeSet plain) {
  bool any = false;
  for (size_t i = 0; i < inputs; ++i) any = any || (in.has(i) && in.type(i).quantized());
  for (size_t i = 0; i < inputs; ++i) {
    if (!in.has(i) || in.dtype(i) == DType::Undefined) continue;
    if (any) {
      HONE_RETURN_IF_ERROR(check_activation_type(in.type(i), str("input ", i)));
    } else if (!plain.contains(in.dtype(i))) {
      return unsupported("input ", i, " is ", in.dtype(i),
                         " without quantization, expected one of ", plain);
    }
  }
  if (any) return check_activation_type(in.declared(0), "the output");
  return Done{};
}

DType output_dtype(const InferContext& in) {
  return in.type(0).quantized() ? in.declared(0).dtype : in.dtype(0);
}

IntRange range_of(DType dtype) {
  switch (dtype) {
    case DType::I8:
      return limits<int8_t>();
    case DType::U8:
      return limits<uint8_t>();
    case DType::I16:
      return limits<int16_t>();
    default:
      return limits<int32_t>();
  }
}

Result<IntRange> activation_range(const std::string& activation, const TensorType& type) {
  IntRange range = range_of(type.dtype);
  if (activation.empty()) return range;
  const auto at = [&](float real) { return range.clamp(quantized(real, *type.quant)); };
  if (activation == "relu") return IntRange{at(0), range.high};
  if (activation == "relu6") return IntRange{at(0), at(6)};
  if (activation == "relu_n1_to_1") return IntRange{at(-1), at(1)};
  return unsupported("activation '", activation, "' on quantized values");
}

bool same_quantization(const TensorType& a, const TensorType& b) {
  return a.quantized() && b.quantized() && a.dtype == b.dtype && *a.quant == *b.quant;
}

}  // namespace hone
