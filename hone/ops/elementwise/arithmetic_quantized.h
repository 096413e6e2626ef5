#pragma once

#include "hone/ops/context.h"

namespace hone {

// Arithmetic of quantized tensors, as TFLite's reference kernels compute it: div of uint8 only,
// squared_difference of int8 only.
Status eval_add_quantized(EvalContext& in);
Status eval_sub_quantized(EvalContext& in);
Status eval_mul_quantized(EvalContext& in);
Status eval_div_quantized(EvalContext& in);
Status eval_squared_difference_quantized(EvalContext& in);

// What add and sub multiply their operands and their result by, and the bits that operands are
// shifted by before: as many as 32 leave room for. Unsupported when a factor is not below 1.
struct SumFactors {
  FixedPoint a;
  FixedPoint b;
  FixedPoint y;
};
int sum_headroom(DType dtype);
Result<SumFactors> sum_factors(const TensorType& a, const TensorType& b, const TensorType& y,
                               bool subtract);
// What mul multiplies its products by.
FixedPoint product_factor(const TensorType& a, const TensorType& b, const TensorType& y);

}  // namespace hone
