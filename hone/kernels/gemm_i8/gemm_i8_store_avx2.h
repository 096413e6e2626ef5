// How a tile of sixteen columns, two vectors of eight sums a row, leaves the registers: for the AVX2
// and AVX-VNNI variants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/requantize_x86.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kColumns = 16;
constexpr size_t kVectors = kColumns / Int32x8::kLanes;

// Scaled sums to sixteen outputs. Bytes that are stored may be those of the header, for all that g++
// knows: what rows share is read once.
template <class A>
class NarrowRow {
 public:
  explicit NarrowRow(const GemmI8PanelHeader& header)
      : zero_point_(_mm256_set1_epi16(static_cast<int16_t>(header.zero_point))),
        low_(_mm_set1_epi8(static_cast<char>(header.low))),
        high_(_mm_set1_epi8(static_cast<char>(header.high))) {}

  __m128i operator()(const __m256i (&scaled)[kVectors]) const {
    const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(scaled[0], scaled[1]), 0xD8);
    const __m128i bytes = narrow_avx2(_mm256_adds_epi16(halves, zero_point_), A());
    return clamp_avx2(bytes, low_, high_, A());
  }

 private:
  __m256i zero_point_;
  __m128i low_, high_;
};

inline void store_row(size_t cols, const __m256i (&sums)[kVectors], int32_t* y) {
  int32_t values[kColumns];
  int32_t* to = cols == kColumns ? y : values;
  for (size_t v = 0; v < kVectors; ++v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8 * v), sums[v]);
  }
  if (to == values) std::memcpy(y, values, cols * sizeof(int32_t));
}

template <class A>
inline void store_row(size_t cols, __m128i outputs, A* y) {
  if (cols == kColumns) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), outputs);
    return;
  }
  A values[kColumns];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(values), outputs);
  std::memcpy(y, values, cols);
}

// scale_by of eight channels of a narrow panel (GemmI8PanelHeader). All rules are the product of 64
// bits plus a constant, of which the high half is shifted, rounding down.
template <bool kOnce>
class NarrowScale {
 public:
  using V = Int32x8;

  NarrowScale(const int32_t* multipliers, const int32_t* shifts)
      : multiplier_(V::load(multipliers)),
        odd_multiplier_(V::srl64<32>(multiplier_)),
        right_(V::sub(V::set(-1), V::load(shifts))) {
    const __m256i low = V::set64(0xFFFFFFFF);
    addend_ = addend_of(V::and_(right_, low));
    odd_addend_ = addend_of(V::srl64<32>(right_));
  }

  __m256i operator()(__m256i x) const {
    const __m256i odd_x = V::srl64<32>(x);
    const __m256i even = rounded(V::mul_even(x, multiplier_), x, addend_);
    const __m256i odd = rounded(V::mul_even(odd_x, odd_multiplier_), odd_x, odd_addend_);
    return V::srav(V::blend_odd(V::srl64<32>(even), odd), right_);
  }

 private:
  // Half of what the last shift divides by, and half of what the high product does.
  static __m256i addend_of(__m256i right) {
    const __m256i half = V::sllv64(V::set64(int64_t{1} << 31), right);
    return kOnce ? half : V::add64(half, V::set64(1 << 30));
  }
  // Ties away from zero take one off the high product of negative sums.
  static __m256i rounded(__m256i product, __m256i x, __m256i addend) {
    product = V::add64(product, addend);
    if constexpr (kOnce) return product;
    return V::sub64(product, V::and_(x, V::set64(int64_t{1} << 31)));
  }

  __m256i multiplier_, odd_multiplier_, right_, addend_, odd_addend_;
};

template <bool kOnce, size_t kTileRows>
[[gnu::always_inline]] inline void scale_narrow_tile(const GemmI8Panel& panel,
                                                     __m256i (&sums)[kTileRows][kVectors]) {
  HONE_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    const NarrowScale<kOnce> scale(panel.multipliers + 8 * v, panel.shifts + 8 * v);
    HONE_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) sums[r][v] = scale(sums[r][v]);
  }
}

// Of panels with factors of any size, which are rare. By itself, since it would take registers from the
// sums of all others.
template <size_t kTileRows>
[[gnu::noinline]] inline void scale_wide_tile(const GemmI8Panel& panel,
                                              __m256i (&sums)[kTileRows][kVectors]) {
  for (size_t v = 0; v < kVectors; ++v) {
    const __m256i multiplier = Int32x8::load(panel.multipliers + 8 * v);
    const __m256i shift = Int32x8::load(panel.shifts + 8 * v);
    for (size_t r = 0; r < kTileRows; ++r) {
      sums[r][v] = scale_by_x86<Int32x8>(sums[r][v], multiplier, shift, panel.header->rounding);
    }
  }
}

template <size_t kTileRows>
[[gnu::always_inline]] inline void scale_tile(const GemmI8Panel& panel,
                                              __m256i (&sums)[kTileRows][kVectors]) {
  if (!panel.header->narrow) {
    __m256i in_memory[kTileRows][kVectors];
    std::memcpy(in_memory, sums, sizeof(sums));
    scale_wide_tile(panel, in_memory);
    std::memcpy(sums, in_memory, sizeof(sums));
  } else if (panel.header->rounding == Rounding::Single) {
    scale_narrow_tile<true>(panel, sums);
  } else {
    scale_narrow_tile<false>(panel, sums);
  }
}

// Scaled to the type of y, unless that is int32_t.
template <class A, class Y, size_t kTileRows>
[[gnu::always_inline]] inline void store_tile(const GemmI8Strip<A, Y>& strip,
                                              const GemmI8Panel& panel,
                                              __m256i (&sums)[kTileRows][kVectors], size_t rows,
                                              Y* y) {
  if constexpr (!std::is_same_v<Y, int32_t>) scale_tile(panel, sums);
  const NarrowRow<A> narrow(*panel.header);
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r, y += strip.y_stride) {
    if (r >= rows) return;
    if constexpr (std::is_same_v<Y, int32_t>) {
      store_row(strip.cols, sums[r], y);
    } else {
      store_row(strip.cols, narrow(sums[r]), y);
    }
  }
}

}  // namespace
}  // namespace hone
