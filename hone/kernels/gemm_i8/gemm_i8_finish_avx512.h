// Sums to outputs for the AVX-512 variants, two rows of 32 columns at a time or four of 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/requantize_x86.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

// How a panel's sums are scaled. The first two are for panels whose header says `quick`.
enum class PanelScaling { Once, Away, Any };

inline PanelScaling panel_scaling(const GemmI8PanelHeader& header) {
  if (!header.quick) return PanelScaling::Any;
  return header.rounding == Rounding::Single ? PanelScaling::Once : PanelScaling::Away;
}

// The factors of 16 columns. With p = sum * multiplier and s = -shift, both rules come to one
// rounding down,
//   y = (p + 2^(30 + s) + nudge) >> (31 + s)
// where nudge is 0 for Rounding::Single and 2^30, below zero -2^30, for Rounding::Double: its two
// roundings are sums of constants under the same floor. 2^(30 + s) is a multiple of 2^32 where s is
// at least 2, so that the upper half of p + nudge is enough; the zero point goes along with it.
template <PanelScaling kScaling>
class ColumnScale {
 public:
  ColumnScale() = default;
  ColumnScale(const GemmI8Panel& panel, size_t column)
      : bias_(Int32x16::load(panel.bias + column)),
        multiplier_(Int32x16::load(panel.multipliers + column)),
        odd_multiplier_(Int32x16::srl64<32>(multiplier_)),
        shift_(Int32x16::load(panel.shifts + column)) {
    const GemmI8PanelHeader& header = *panel.header;
    rounding_ = header.rounding;
    zero_point_ = Int32x16::set(header.zero_point);
    if constexpr (kScaling != PanelScaling::Any) {
      shift_ = Int32x16::sub(Int32x16::set(-1), shift_);
      const __m512i half =
          Int32x16::sllv(Int32x16::set(1), Int32x16::sub(shift_, Int32x16::set(1)));
      offset_ = Int32x16::add(half, Int32x16::sllv(zero_point_, shift_));
    }
  }

  [[gnu::always_inline]] __m512i apply(__m512i sum) const {
    if constexpr (kScaling == PanelScaling::Any) return apply_any(sum);
    const __m512i even = nudged(_mm512_mul_epi32(sum, multiplier_));
    const __m512i odd = nudged(_mm512_mul_epi32(_mm512_srli_epi64(sum, 32), odd_multiplier_));
    const __m512i upper = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    return _mm512_srav_epi32(_mm512_add_epi32(upper, offset_), shift_);
  }
  // Of sums in memory that have no bias yet.
  [[gnu::always_inline]] __m512i apply(const int32_t* sums) const {
    return apply(_mm512_add_epi32(_mm512_load_si512(sums), bias_));
  }

 private:
  [[gnu::always_inline]] static __m512i nudged(__m512i product) {
    if constexpr (kScaling == PanelScaling::Once) return product;
    const __m512i half = _mm512_set1_epi64(int64_t{1} << 30);
    const __m512i above = _mm512_add_epi64(product, half);
    return _mm512_mask_sub_epi64(above, _mm512_movepi64_mask(product), product, half);
  }

  // The zero point must not overflow, so scaled sums are first cut off far outside the range of the
  // outputs.
  __m512i apply_any(__m512i sum) const {
    const __m512i scaled = scale_by_x86<Int32x16>(sum, multiplier_, shift_, rounding_);
    const __m512i far = _mm512_set1_epi32(1 << 20);
    const __m512i cut = _mm512_max_epi32(_mm512_min_epi32(scaled, far),
                                         _mm512_sub_epi32(_mm512_setzero_si512(), far));
    return _mm512_add_epi32(cut, zero_point_);
  }

  __m512i bias_;
  __m512i multiplier_;
  __m512i odd_multiplier_;
  __m512i shift_;
  __m512i offset_;
  __m512i zero_point_;
  Rounding rounding_;
};

// Four vectors of outputs, 16 columns each, as bytes one after the other.
template <class A>
[[gnu::always_inline]] inline __m512i narrow_avx512(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i left = _mm512_packs_epi32(a, b), right = _mm512_packs_epi32(c, d);
  // Packing works within 128 bits: four columns of each vector lie side by side.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes =
      std::is_signed_v<A> ? _mm512_packs_epi16(left, right) : _mm512_packus_epi16(left, right);
  return _mm512_permutexvar_epi32(order, bytes);
}

template <class A>
struct ByteBounds {
  __m512i low;
  __m512i high;

  explicit ByteBounds(const GemmI8PanelHeader& header)
      : low(_mm512_set1_epi8(static_cast<char>(header.low))),
        high(_mm512_set1_epi8(static_cast<char>(header.high))) {}

  [[gnu::always_inline]] __m512i clamp(__m512i bytes) const {
    if constexpr (std::is_signed_v<A>) {
      return _mm512_min_epi8(_mm512_max_epi8(bytes, low), high);
    } else {
      return _mm512_min_epu8(_mm512_max_epu8(bytes, low), high);
    }
  }
};

// A row of sums in memory has room for this many, whatever the panel has.
constexpr size_t kFinishColumns = 32;

// Stores rows of the first `cols` of 32 columns.
template <class A, PanelScaling kScaling>
class WideFinish {
 public:
  static constexpr size_t kRows = 2;

  WideFinish(const GemmI8Panel& panel, const GemmI8Strip<A>& strip)
      : left_(panel, 0),
        right_(panel, 16),
        bounds_(*panel.header),
        mask_(static_cast<__mmask32>((uint64_t{1} << strip.cols) - 1)),
        y_(strip.y),
        y_stride_(strip.y_stride) {}

  // One row or two, from memory, without bias.
  [[gnu::always_inline]] void store(const int32_t (*sums)[kFinishColumns], size_t row,
                                    size_t rows) const {
    const int32_t* first = sums[0];
    const int32_t* second = sums[rows - 1];
    A* y = y_ + row * y_stride_;
    store_outputs(left_.apply(first), right_.apply(first + 16), left_.apply(second),
                  right_.apply(second + 16), y, y + (rows - 1) * y_stride_);
  }
  // Two rows with their bias; of an odd number the last comes with itself.
  [[gnu::always_inline]] void store(const __m512i (&first)[2], const __m512i (&second)[2], A* y,
                                    A* next) const {
    store_outputs(left_.apply(first[0]), right_.apply(first[1]), left_.apply(second[0]),
                  right_.apply(second[1]), y, next);
  }

 private:
  [[gnu::always_inline]] void store_outputs(__m512i a, __m512i b, __m512i c, __m512i d, A* y,
                                            A* next) const {
    const __m512i bytes = bounds_.clamp(narrow_avx512<A>(a, b, c, d));
    _mm256_mask_storeu_epi8(y, mask_, _mm512_castsi512_si256(bytes));
    _mm256_mask_storeu_epi8(next, mask_, _mm512_extracti64x4_epi64(bytes, 1));
  }

  ColumnScale<kScaling> left_;
  ColumnScale<kScaling> right_;
  ByteBounds<A> bounds_;
  __mmask32 mask_;
  A* y_;
  size_t y_stride_;
};

// The same of at most 16 columns, four rows at a time.
template <class A, PanelScaling kScaling>
class SlimFinish {
 public:
  static constexpr size_t kRows = 4;

  SlimFinish(const GemmI8Panel& panel, const GemmI8Strip<A>& strip)
      : scale_(panel, 0),
        bounds_(*panel.header),
        mask_(static_cast<__mmask16>((uint32_t{1} << strip.cols) - 1)),
        y_(strip.y),
        y_stride_(strip.y_stride) {}

  // One row to four, from memory, without bias; the last stands for those that are not there.
  [[gnu::always_inline]] void store(const int32_t (*sums)[kFinishColumns], size_t row,
                                    size_t rows) const {
    A* y = y_ + row * y_stride_;
    const size_t at[4] = {0, rows > 1 ? 1u : 0u, rows > 2 ? 2 : rows - 1, rows - 1};
    const auto scaled = [&](size_t i) { return scale_.apply(sums[at[i]]); };
    const __m512i bytes =
        bounds_.clamp(narrow_avx512<A>(scaled(0), scaled(1), scaled(2), scaled(3)));
    _mm_mask_storeu_epi8(y, mask_, _mm512_castsi512_si128(bytes));
    _mm_mask_storeu_epi8(y + at[1] * y_stride_, mask_, _mm512_extracti32x4_epi32(bytes, 1));
    _mm_mask_storeu_epi8(y + at[2] * y_stride_, mask_, _mm512_extracti32x4_epi32(bytes, 2));
    _mm_mask_storeu_epi8(y + at[3] * y_stride_, mask_, _mm512_extracti32x4_epi32(bytes, 3));
  }
  // The first `rows` of four, with their bias.
  [[gnu::always_inline]] void store(const __m512i (&sums)[4], size_t rows, A* y) const {
    const __m512i bytes =
        bounds_.clamp(narrow_avx512<A>(scale_.apply(sums[0]), scale_.apply(sums[1]),
                                       scale_.apply(sums[2]), scale_.apply(sums[3])));
    _mm_mask_storeu_epi8(y, mask_, _mm512_castsi512_si128(bytes));
    if (rows == 1) return;
    _mm_mask_storeu_epi8(y + y_stride_, mask_, _mm512_extracti32x4_epi32(bytes, 1));
    if (rows == 2) return;
    _mm_mask_storeu_epi8(y + 2 * y_stride_, mask_, _mm512_extracti32x4_epi32(bytes, 2));
    if (rows == 3) return;
    _mm_mask_storeu_epi8(y + 3 * y_stride_, mask_, _mm512_extracti32x4_epi32(bytes, 3));
  }

 private:
  ColumnScale<kScaling> scale_;
  ByteBounds<A> bounds_;
  __mmask16 mask_;
  A* y_;
  size_t y_stride_;
};

// The sums themselves; from memory, with their bias added.
class SumsFinish {
 public:
  static constexpr size_t kRows = 2;

  template <class A>
  SumsFinish(const GemmI8Panel& panel, const GemmI8Strip<A, int32_t>& strip)
      : bias_{Int32x16::load(panel.bias), Int32x16::load(panel.bias + 16)},
        left_(first_columns(strip.cols)),
        right_(first_columns(strip.cols < 16 ? 0 : strip.cols - 16)),
        y_(strip.y),
        y_stride_(strip.y_stride) {}

  [[gnu::always_inline]] void store(const int32_t (*sums)[kFinishColumns], size_t row,
                                    size_t rows) const {
    for (size_t r = 0; r < rows; ++r) {
      store_row({_mm512_add_epi32(_mm512_load_si512(sums[r]), bias_[0]),
                 _mm512_add_epi32(_mm512_load_si512(sums[r] + 16), bias_[1])},
                y_ + (row + r) * y_stride_);
    }
  }
  [[gnu::always_inline]] void store(const __m512i (&first)[2], const __m512i (&second)[2],
                                    int32_t* y, int32_t* next) const {
    store_row(first, y);
    store_row(second, next);
  }

 private:
  [[gnu::always_inline]] void store_row(const __m512i (&row)[2], int32_t* y) const {
    _mm512_mask_storeu_epi32(y, left_, row[0]);
    _mm512_mask_storeu_epi32(y + 16, right_, row[1]);
  }

  static __mmask16 first_columns(size_t cols) {
    return static_cast<__mmask16>(cols >= 16 ? 0xFFFF : (1u << cols) - 1);
  }

  __m512i bias_[2];
  __mmask16 left_;
  __mmask16 right_;
  int32_t* y_;
  size_t y_stride_;
};

// Calls run(finish) with what stores the strip's outputs, of kVectors times 16 columns at most.
template <class A, class Y, size_t kVectors, class Run>
void with_panel_finish(const GemmI8Panel& panel, const GemmI8Strip<A, Y>& strip, const Run& run) {
  if constexpr (std::is_same_v<Y, int32_t>) {
    run(SumsFinish(panel, strip));
  } else {
    const auto scaled = [&]<PanelScaling kScaling>() {
      if constexpr (kVectors == 1) {
        run(SlimFinish<A, kScaling>(panel, strip));
      } else {
        run(WideFinish<A, kScaling>(panel, strip));
      }
    };
    switch (panel_scaling(*panel.header)) {
      case PanelScaling::Once:
        return scaled.template operator()<PanelScaling::Once>();
      case PanelScaling::Away:
        return scaled.template operator()<PanelScaling::Away>();
      case PanelScaling::Any:
        return scaled.template operator()<PanelScaling::Any>();
    }
  }
}

}  // namespace
}  // namespace hone
