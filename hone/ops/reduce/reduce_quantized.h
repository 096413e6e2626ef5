#pragma once

#include <vector>

#include "hone/ops/context.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// Sum and mean of quantized values along the axes marked, as TFLite's reference kernel computes
// them: 32-bit sums, scaled to the output by one factor that the mean's divisor is part of.
Status eval_sum_quantized(EvalContext& in, const std::vector<bool>& reduced);
Status eval_mean_quantized(EvalContext& in, const std::vector<bool>& reduced);
// The factor of a mean of `count` values of type `x` as `y`.
FixedPoint mean_factor(const TensorType& x, const TensorType& y, int64_t count);
// The product of int8 or int16 values, scaled after every factor by the scale of the input over the
// n-th root of the output's, for n factors.
Status eval_prod_quantized(EvalContext& in, const std::vector<bool>& reduced);

}  // namespace hone
