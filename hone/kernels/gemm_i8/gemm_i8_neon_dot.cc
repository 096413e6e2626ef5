// The tile by SDOT: four values of k of one row, times four columns. Unsigned activations are
// flipped to signed ones on packing.
#if defined(__aarch64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 schedules before it allocates registers, then moves sums from one to another: 203 instead
// of 263 GOP/s on a Neoverse V1.
#pragma GCC optimize("no-schedule-insns")
#endif
#include "hone/kernels/gemm_i8/gemm_i8_row_tile_neon.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"

namespace hone {
namespace {

struct DotProducts {
  template <size_t kPairs>
  [[gnu::always_inline]] static inline void add(const int8_t* a, const int8_t* w,
                                                int32x4_t (&sums)[2 * kPairs][4]) {
    int8x16_t rows[kPairs];
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) rows[p] = vld1q_s8(a + 16 * p);
    HONE_UNROLL
    for (size_t v = 0; v < 4; ++v) {
      const int8x16_t first = vld1q_s8(w + 16 * v);
      const int8x16_t second = vld1q_s8(w + 64 + 16 * v);
      HONE_UNROLL
      for (size_t p = 0; p < kPairs; ++p) {
        sums[2 * p][v] = vdotq_laneq_s32(sums[2 * p][v], first, rows[p], 0);
        sums[2 * p + 1][v] = vdotq_laneq_s32(sums[2 * p + 1][v], first, rows[p], 2);
        sums[2 * p][v] = vdotq_laneq_s32(sums[2 * p][v], second, rows[p], 1);
        sums[2 * p + 1][v] = vdotq_laneq_s32(sums[2 * p + 1][v], second, rows[p], 3);
      }
      // Keeps the next columns' loads behind this: with all of them in front, GCC 12 runs out of
      // registers.
      asm volatile("" : "+w"(sums[0][v]) : : "memory");
    }
  }
};

}  // namespace

template <class A, class Y>
void gemm_i8_neon_dot(const GemmI8Strip<A, Y>& strip) {
  GemmI8RowTile<A, Y, DotProducts>::run(strip);
}

template void gemm_i8_neon_dot(const GemmI8Strip<int8_t>&);
template void gemm_i8_neon_dot(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_neon_dot(const GemmI8Strip<uint8_t>&);
template void gemm_i8_neon_dot(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
