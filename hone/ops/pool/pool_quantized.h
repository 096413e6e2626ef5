#pragma once

#include "hone/ops/pool/windows.h"

namespace hone {

// For infer of a pool: the input is plain, of a type in `plain`, or quantized just as the output
// is, since pools do not change scales.
Status check_pool_quantized(const InferContext& in, DTypeSet plain);

// The mean of stored values, rounded to nearest with ties away from zero.
Status eval_average_pool_quantized(EvalContext& in, const PoolGeometry& pool);
// Cuts the elements of a quantized output as the activation says.
Status clamp_quantized(Tensor& y, const std::string& activation);

}  // namespace hone
