// Large convolutions and products by constant weights by cuDNN, measured beside Hone's own kernels.
#pragma once

#include "hone/targets/cuda/product.h"

namespace hone::cuda {

// None where the library cannot compute all of it in one kernel.
std::vector<Variant> dnn_variants(const ProductShape& shape, const ProductOperands& operands,
                                  bool tf32, StepBuilder& builder);

}  // namespace hone::cuda
