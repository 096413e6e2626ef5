// Large products of plain matrices that the copy engine feeds: compute capability 9.0.
#pragma once

#include "hone/targets/cuda/product.h"

namespace hone::cuda {

// Whether w lies along n, which only these take in TF32.
bool suits_turned(const ProductShape& shape, const GpuInfo& gpu);

// Likeliest first; none where the GPU or the shape does not suit.
std::vector<Variant> bulk_variants(const ProductShape& shape, const ProductOperands& operands,
                                   const GpuInfo& gpu);

}  // namespace hone::cuda
