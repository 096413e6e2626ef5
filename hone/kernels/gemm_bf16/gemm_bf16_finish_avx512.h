// Rows of 32 sums to results, for the variants of AVX-512.
#pragma once

#include "hone/kernels/gemm_bf16/gemm_bf16_variants.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

class Bf16Finish {
 public:
  static constexpr size_t kRows = 2;

  explicit Bf16Finish(const GemmBf16Strip& strip)
      : strip_(strip),
        low_(F32x16::broadcast(strip.low)),
        high_(F32x16::broadcast(strip.high)),
        masks_{first_columns(strip.cols), first_columns(strip.cols < 16 ? 0 : strip.cols - 16)} {}

  // Sums that have no bias yet.
  [[gnu::always_inline]] void store(const float (*sums)[kGemmBf16X86Columns], size_t row,
                                    size_t rows) const {
    const auto* bias = reinterpret_cast<const float*>(strip_.panel);
    const __m512 left = F32x16::load(bias), right = F32x16::load(bias + 16);
    for (size_t r = 0; r < rows; ++r) {
      store(row + r, _mm512_add_ps(F32x16::load(sums[r]), left),
            _mm512_add_ps(F32x16::load(sums[r] + 16), right));
    }
  }
  // Sums with it.
  [[gnu::always_inline]] void store(size_t row, __m512 left, __m512 right) const {
    store_vector(row, 0, left);
    store_vector(row, 1, right);
  }

 private:
  static __mmask16 first_columns(size_t cols) {
    return static_cast<__mmask16>(cols >= 16 ? 0xFFFF : (1u << cols) - 1);
  }

  [[gnu::always_inline]] void store_vector(size_t row, size_t vector, __m512 sum) const {
    if (strip_.residual != nullptr) {
      const float* residual = strip_.residual + row * strip_.residual_stride + 16 * vector;
      sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(masks_[vector], residual));
    }
    // Of two operands, one of them NaN, these instructions give the second.
    const __m512 y = F32x16::min(high_, F32x16::max(low_, sum));
    _mm512_mask_storeu_ps(strip_.c + row * strip_.c_stride + 16 * vector, masks_[vector], y);
  }

  const GemmBf16Strip& strip_;
  __m512 low_;
  __m512 high_;
  __mmask16 masks_[2];
};

}  // namespace
}  // namespace hone
