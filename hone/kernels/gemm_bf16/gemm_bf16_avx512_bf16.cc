// The product by VDPBF16PS: two values of k of one row times 16 columns. Eight rows of two vectors
// are 16 sums; more rows would need more pointers than there are registers for.
#include <algorithm>
#include <cstring>

#include "hone/kernels/gemm_bf16/gemm_bf16_finish_avx512.h"
#include "hone/kernels/gemm_bf16/gemm_bf16_variants.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

constexpr size_t kRows = 8;
constexpr size_t kColumns = kGemmBf16X86Columns;
constexpr size_t kStep = 32;

__m512bh as_bf16(__m512i bits) {
  return reinterpret_cast<__m512bh>(bits);
}

template <size_t kTileRows>
void run_tile(const GemmBf16Strip& strip, const Bf16Finish& finish, size_t row) {
  const auto* bias = reinterpret_cast<const float*>(strip.panel);
  const auto* w = reinterpret_cast<const BFloat16*>(bias + kColumns);
  const size_t pitch = strip.steps * kStep;
  const BFloat16* a = strip.a + row * pitch;
  __m512 sums[kTileRows][2];
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    sums[r][0] = F32x16::load(bias);
    sums[r][1] = F32x16::load(bias + 16);
  }
  for (size_t k = 0; k < pitch; k += 2, w += 2 * kColumns) {
    const __m512bh left = as_bf16(_mm512_loadu_si512(w));
    const __m512bh right = as_bf16(_mm512_loadu_si512(w + 32));
    HONE_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) {
      int32_t two;
      std::memcpy(&two, a + r * pitch + k, sizeof(two));
      const __m512bh x = as_bf16(_mm512_set1_epi32(two));
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, left);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, right);
    }
  }
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) finish.store(row + r, sums[r][0], sums[r][1]);
}

// 32 values, of which `there` are read; the rest are zero.
void round_values(const float* from, size_t there, BFloat16* to) {
  const auto mask =
      static_cast<uint32_t>(there >= kStep ? ~uint64_t{0} : (uint64_t{1} << there) - 1);
  const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
  const __m512 high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), from + 16);
  const __m512bh rounded = _mm512_cvtne2ps_pbh(high, low);
  _mm512_mask_storeu_epi16(to, mask, reinterpret_cast<__m512i>(rounded));
}

void round_tap(const float* from, size_t depth, BFloat16* to) {
  for (size_t k = 0; k < depth; k += kStep) round_values(from + k, depth - k, to + k);
}

}  // namespace

void gemm_bf16_rows_avx512_bf16(const float* const* a, size_t rows, size_t taps, size_t depth,
                                BFloat16* out) {
  const size_t k = taps * depth, pitch = (k + kStep - 1) / kStep * kStep;
  for (size_t row = 0; row < rows; ++row, out += pitch) {
    for (size_t tap = 0; tap < taps; ++tap) round_tap(*a++, depth, out + tap * depth);
    std::fill(out + k, out + pitch, BFloat16());
  }
}

void gemm_bf16_avx512_bf16(const GemmBf16Strip& strip) {
  const Bf16Finish finish(strip);
  size_t row = 0;
  for (; row + kRows <= strip.rows; row += kRows) run_tile<kRows>(strip, finish, row);
  for (; row + 4 <= strip.rows; row += 4) run_tile<4>(strip, finish, row);
  for (; row < strip.rows; ++row) run_tile<1>(strip, finish, row);
}

}  // namespace hone
