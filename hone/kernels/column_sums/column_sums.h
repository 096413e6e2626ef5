// Sums of quantized bytes over rows, as means need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/variant.h"

namespace hone {

// sums[c] = the sum over r < rows of x[r * stride + c], for c < cols; wraps around at 32 bits.
template <class T>
using ColumnSums = void (*)(size_t rows, size_t cols, size_t stride, const T* x, int32_t* sums);

// Fastest first; ends in "ref".
std::span<const KernelVariant<ColumnSums<int8_t>>> column_sums_i8_variants();
std::span<const KernelVariant<ColumnSums<uint8_t>>> column_sums_u8_variants();

}  // namespace hone
