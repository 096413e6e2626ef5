// Sums to outputs for the AVX2 and AVX-512 tiles. V as in hone/kernels/requantize_x86.h.
#pragma once

#include <cstddef>

#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/requantize_x86.h"

namespace hone {
namespace {

// scale_by with Rounding::Double and a shift to the right: ties away from zero take one off
// negative values first.
template <class V>
inline typename V::Vec scale_narrow(typename V::Vec x, typename V::Vec multiplier,
                                    typename V::Vec shift) {
  const typename V::Vec high = high_mul<V>(x, multiplier);
  return round_shift<V>(V::add(high, V::sign(high)), V::sub(V::set(0), shift));
}

// The same with Rounding::Single: what is cut off does not matter to the one rounding.
template <class V>
inline typename V::Vec scale_narrow_once(typename V::Vec x, typename V::Vec multiplier,
                                         typename V::Vec shift) {
  return round_shift<V>(high_mul_down<V>(x, multiplier), V::sub(V::set(0), shift));
}

// scale_by of kVectors vectors, the columns of one row.
template <class V, size_t kVectors>
inline void scale_row(const GemmI8Panel& panel, typename V::Vec (&sums)[kVectors]) {
  for (size_t v = 0; v < kVectors; ++v) {
    const typename V::Vec multiplier = V::load(panel.multipliers + v * V::kLanes);
    const typename V::Vec shift = V::load(panel.shifts + v * V::kLanes);
    if (panel.header->narrow) {
      sums[v] = panel.header->rounding == Rounding::Single
                    ? scale_narrow_once<V>(sums[v], multiplier, shift)
                    : scale_narrow<V>(sums[v], multiplier, shift);
    } else {
      sums[v] = scale_by_x86<V>(sums[v], multiplier, shift, panel.header->rounding);
    }
  }
}

}  // namespace
}  // namespace hone
