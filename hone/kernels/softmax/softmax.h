#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// Softmax over the columns of a dense row-major [rows, cols] matrix.
//   cols   at least 1
//   x, y   rows * cols elements each; the same buffer or disjoint, any alignment
// Subtracts the row maximum first, so large inputs do not overflow.
template <class T>
using Softmax = void (*)(size_t rows, size_t cols, const T* x, T* y);
using SoftmaxF32 = Softmax<float>;
using SoftmaxF16 = Softmax<Half>;

// Fastest first; ends in "ref". Within 2e-6 (f32), 2^-9 (f16) of the result, and 2^-24 absolute.
std::span<const KernelVariant<SoftmaxF32>> softmax_f32_variants();
std::span<const KernelVariant<SoftmaxF16>> softmax_f16_variants();

}  // namespace hone
