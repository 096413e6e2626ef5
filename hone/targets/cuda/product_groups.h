// Products whose tiles groups of warps multiply straight out of shared memory: compute capability 9.0.
#pragma once

#include "hone/targets/cuda/product.h"

namespace hone::cuda {

// Likeliest first; none where the GPU or the shape does not suit.
std::vector<Variant> group_variants(const ProductShape& shape, const ProductOperands& operands,
                                    const GpuInfo& gpu);

}  // namespace hone::cuda
