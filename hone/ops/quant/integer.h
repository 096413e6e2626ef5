// What operators on quantized tensors share: TFLite's integer arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "hone/ops/common.h"
#include "hone/tensor/dispatch.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// The element types of quantized activations.
inline constexpr DTypeSet kQuantized{DType::I8, DType::U8, DType::I16};

template <class Fn>
auto dispatch_quantized(DType dtype, Fn&& fn) {
  return dispatch<int8_t, uint8_t, int16_t>(dtype, std::forward<Fn>(fn));
}

// For infer. Of the first `inputs` inputs and output 0 either all are quantized activations, one
// scale for each tensor, or none is, and then every input is of a type in `plain`.
Status check_quantized(const InferContext& in, size_t inputs, DTypeSet plain);
// The element type of output 0: the file's when quantized, else that of input 0.
DType output_dtype(const InferContext& in);

struct IntRange {
  int32_t low;
  int32_t high;
  int32_t clamp(int64_t x) const {
    return static_cast<int32_t>(std::clamp(x, int64_t{low}, int64_t{high}));
  }
};
// Of an integer type of at most 32 bits.
IntRange range_of(DType dtype);
// Where a fused activation cuts the values of a quantized tensor.
Result<IntRange> activation_range(const std::string& activation, const TensorType& type);

// True when stored values mean the same in both.
bool same_quantization(const TensorType& a, const TensorType& b);

inline float scale_of(const Tensor& tensor) {
  return tensor.type().quant->scale();
}
inline int32_t zero_point_of(const Tensor& tensor) {
  return tensor.type().quant->zero_point();
}

}  // namespace hone
