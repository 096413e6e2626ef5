// Arrays from one float format to another.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// y[i] = x[i] for i < n, to the nearest, ties to even; too large becomes infinite, NaN stays a NaN.
// x and y apart.
template <class From, class To>
using Convert = void (*)(size_t n, const From* x, To* y);

// Fastest first; ends in "ref". All variants give the same bits, but for the payload of NaN.
std::span<const KernelVariant<Convert<float, Half>>> convert_f32_f16_variants();
std::span<const KernelVariant<Convert<Half, float>>> convert_f16_f32_variants();
std::span<const KernelVariant<Convert<float, BFloat16>>> convert_f32_bf16_variants();
std::span<const KernelVariant<Convert<BFloat16, float>>> convert_bf16_f32_variants();

}  // namespace hone
