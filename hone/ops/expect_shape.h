#pragma once

#include "hone/ops/op_def.h"

namespace hone {

// BadInput when the input has another shape, as far as both are known. One that is left out fits.
Status expect_shape(const InferContext& in, size_t input, const Shape& expected);

}  // namespace hone
