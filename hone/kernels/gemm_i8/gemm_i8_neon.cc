// The tile with nothing but the baseline: two values of k of one row, times four columns, by SMULL
// to 16 bits, then SADALP, which adds the two to a sum. Adding a second product in 16 bits first
// would overflow for -128 * -128 twice. Unsigned activations are flipped to signed ones on packing.
#if defined(__aarch64__)
#if defined(__GNUC__) && !defined(__clang__)
// As in the variant for SDOT; here 46 instead of 52 GOP/s.
#pragma GCC optimize("no-schedule-insns")
#endif
#include "hone/kernels/gemm_i8/gemm_i8_row_tile_neon.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"

namespace hone {
namespace {

struct PairProducts {
  template <size_t kPairs>
  [[gnu::always_inline]] static inline void add(const int8_t* a, const int8_t* w,
                                                int32x4_t (&sums)[2 * kPairs][4]) {
    int16x8_t rows[kPairs];
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) rows[p] = vreinterpretq_s16_s8(vld1q_s8(a + 16 * p));
    add_two<0, kPairs>(rows, w, sums);
    add_two<1, kPairs>(rows, w + 32, sums);
    add_two<2, kPairs>(rows, w + 64, sums);
    add_two<3, kPairs>(rows, w + 96, sums);
  }

 private:
  // The kLane-th two values of k.
  template <int kLane, size_t kPairs>
  [[gnu::always_inline]] static inline void add_two(const int16x8_t (&rows)[kPairs],
                                                    const int8_t* w,
                                                    int32x4_t (&sums)[2 * kPairs][4]) {
    const int8x16_t left = vld1q_s8(w);
    const int8x16_t right = vld1q_s8(w + 16);
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) {
      add_row(vreinterpretq_s8_s16(vdupq_laneq_s16(rows[p], kLane)), left, right, sums[2 * p]);
      add_row(vreinterpretq_s8_s16(vdupq_laneq_s16(rows[p], 4 + kLane)), left, right,
              sums[2 * p + 1]);
    }
    asm volatile("" : "+w"(sums[0][0]) : : "memory");  // As in the variant for SDOT.
  }

  [[gnu::always_inline]] static inline void add_row(int8x16_t row, int8x16_t left, int8x16_t right,
                                                    int32x4_t (&sums)[4]) {
    sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(row), vget_low_s8(left)));
    sums[1] = vpadalq_s16(sums[1], vmull_high_s8(row, left));
    sums[2] = vpadalq_s16(sums[2], vmull_s8(vget_low_s8(row), vget_low_s8(right)));
    sums[3] = vpadalq_s16(sums[3], vmull_high_s8(row, right));
  }
};

}  // namespace

template <class A, class Y>
void gemm_i8_neon(const GemmI8Strip<A, Y>& strip) {
  GemmI8RowTile<A, Y, PairProducts>::run(strip);
}

template void gemm_i8_neon(const GemmI8Strip<int8_t>&);
template void gemm_i8_neon(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_neon(const GemmI8Strip<uint8_t>&);
template void gemm_i8_neon(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
