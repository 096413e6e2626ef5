// A function of each element, for what other kernels have just written or for layers of their own.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/activation.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// y[r][c] = activation(x[r][c]) for r < rows and c < cols; rows are `x_stride` and `y_stride`
// elements apart. y is x with the same stride, or disjoint from it. Any alignment.
template <class T>
using Activate = void (*)(const Activation& activation, size_t rows, size_t cols, const T* x,
                          size_t x_stride, T* y, size_t y_stride);
using ActivateF32 = Activate<float>;
using ActivateF16 = Activate<Half>;

// Fastest first; ends in "ref". NaN stays NaN, and infinities give the limit of the function.
//   f32  Clamp exact, HardSigmoid and HardSwish within 6e-7 of the result and 2e-7 absolute, Tanh
//        within 1e-6 of the result, Gelu within 4e-7 * |x|, GeluTanh within 2e-6 * |x|, the others
//        within 6e-7 of the result.
//   f16  within 2^-8 of the result and 2^-11 absolute.
// Measured on a Neoverse V1, in the first cache, cycles per element f32 / f16 (neon_fp16): Clamp
// 0.2 / 0.1, HardSwish 0.6 / 0.3, Silu 2.3 / 1.3, Tanh 2.7 / 1.4, Gelu 2.9 / 3.4.
std::span<const KernelVariant<ActivateF32>> activate_f32_variants();
std::span<const KernelVariant<ActivateF16>> activate_f16_variants();

}  // namespace hone
