// Tiles by BFMMLA, which multiplies two rows of four values with two columns and adds to a 2 x 2
// block of sums. Tiles of six rows and 16 columns are in assembly; what is smaller goes by way of a
// buffer.
#include <arm_neon.h>

#include <algorithm>
#include <limits>

#include "hone/kernels/gemm_bf16/gemm_bf16_full_tile.h"
#include "hone/kernels/gemm_bf16/gemm_bf16_variants.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

constexpr size_t kRows = kGemmBf16NeonRows;
constexpr size_t kColumns = kGemmBf16NeonColumns;
constexpr size_t kDepth = kGemmBf16Depth;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Buffer = float[kRows][kColumns];

// kPairs pairs of rows times the first kVectors pairs of the panel's columns, without clamp.
template <size_t kPairs, size_t kVectors>
void multiply(const GemmBf16Strip& strip, const BFloat16* tile, Buffer& to) {
  const auto* bias = reinterpret_cast<const float*>(strip.panel);
  const auto* w = reinterpret_cast<const bfloat16_t*>(bias + 2 * kColumns);
  const auto* a = reinterpret_cast<const bfloat16_t*>(tile);
  float32x4_t sums[kPairs][kVectors];
  HONE_UNROLL
  for (size_t p = 0; p < kPairs; ++p) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) sums[p][v] = vld1q_f32(bias + 4 * v);
  }
  for (size_t step = 0; step < strip.steps; ++step) {
    bfloat16x8_t rows[kPairs];
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) rows[p] = vld1q_bf16(a + 2 * kDepth * p);
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const bfloat16x8_t columns = vld1q_bf16(w + 2 * kDepth * v);
      HONE_UNROLL
      for (size_t p = 0; p < kPairs; ++p) sums[p][v] = vbfmmlaq_f32(sums[p][v], rows[p], columns);
    }
    a += 2 * kDepth * kPairs;
    w += kDepth * kColumns;
  }
  HONE_UNROLL
  for (size_t p = 0; p < kPairs; ++p) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      vst1_f32(to[2 * p] + 2 * v, vget_low_f32(sums[p][v]));
      vst1_f32(to[2 * p + 1] + 2 * v, vget_high_f32(sums[p][v]));
    }
  }
}

void multiply_six_rows(const GemmBf16Strip& strip, const BFloat16* tile, Buffer& to) {
  GemmBf16Strip sums = strip;
  sums.a = tile;
  sums.c = to[0];
  sums.c_stride = kColumns;
  sums.low = -kInfinity;
  sums.high = kInfinity;
  gemm_bf16_full_tiles<false>(sums, 1);
}

void finish_row(const GemmBf16Strip& strip, size_t row, float (&sums)[kColumns]) {
  float* c = strip.c + row * strip.c_stride;
  if (strip.residual != nullptr) {
    const float* residual = strip.residual + row * strip.residual_stride;
    for (size_t n = 0; n < strip.cols; ++n) sums[n] += residual[n];
  }
  const float32x4_t low = vdupq_n_f32(strip.low), high = vdupq_n_f32(strip.high);
  for (size_t n = 0; n < strip.cols; n += 4) {
    const float32x4_t clamped = vminq_f32(vmaxq_f32(vld1q_f32(sums + n), low), high);
    if (n + 4 <= strip.cols) {
      vst1q_f32(c + n, clamped);
    } else {
      vst1q_f32(sums + n, clamped);
      std::copy(sums + n, sums + strip.cols, c + n);
    }
  }
}

// The tile that starts at row `first`, a multiple of six.
void run_partial_tile(const GemmBf16Strip& strip, size_t first) {
  const BFloat16* tile = strip.a + first * strip.steps * kDepth;
  const size_t rows = std::min(kRows, strip.rows - first);
  const bool narrow = strip.cols <= kColumns / 2;
  Buffer sums;
  switch ((rows + 1) / 2) {
    case 1:
      narrow ? multiply<1, 4>(strip, tile, sums) : multiply<1, 8>(strip, tile, sums);
      break;
    case 2:
      narrow ? multiply<2, 4>(strip, tile, sums) : multiply<2, 8>(strip, tile, sums);
      break;
    default:
      narrow ? multiply<3, 4>(strip, tile, sums) : multiply_six_rows(strip, tile, sums);
      break;
  }
  for (size_t r = 0; r < rows; ++r) finish_row(strip, first + r, sums[r]);
}

// `count` < 4 values of a row, the rest zero.
float32x4_t load_some(const float* from, size_t count) {
  float32x4_t values = vdupq_n_f32(0);
  if (count > 0) values = vld1q_lane_f32(from, values, 0);
  if (count > 1) values = vld1q_lane_f32(from + 1, values, 1);
  if (count > 2) values = vld1q_lane_f32(from + 2, values, 2);
  return values;
}

void pack_pair(float32x4_t first, float32x4_t second, bfloat16_t* out) {
  vst1q_bf16(out, vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(first), second));
}

// One tap of kPairs pairs of rows.
template <size_t kPairs>
[[gnu::always_inline]] inline bfloat16_t* pack_tap(const float* const (&from)[2 * kPairs],
                                                   size_t depth, bfloat16_t* out) {
  size_t k = 0;
  for (; k + kDepth <= depth; k += kDepth, out += 2 * kPairs * kDepth) {
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) {
      pack_pair(vld1q_f32(from[2 * p] + k), vld1q_f32(from[2 * p + 1] + k), out + 2 * kDepth * p);
    }
  }
  if (k == depth) return out;
  HONE_UNROLL
  for (size_t p = 0; p < kPairs; ++p) {
    pack_pair(load_some(from[2 * p] + k, depth - k), load_some(from[2 * p + 1] + k, depth - k),
              out + 2 * kDepth * p);
  }
  return out + 2 * kPairs * kDepth;
}

// A tile of `rows` rows; one more that repeats the last when they are odd.
template <size_t kPairs>
bfloat16_t* pack_tile(const float* const* a, size_t rows, size_t taps, size_t depth,
                      bfloat16_t* out) {
  for (size_t t = 0; t < taps; ++t) {
    const float* from[2 * kPairs];
    HONE_UNROLL
    for (size_t r = 0; r < 2 * kPairs; ++r) from[r] = a[std::min(r, rows - 1) * taps + t];
    out = pack_tap<kPairs>(from, depth, out);
  }
  return out;
}

}  // namespace

void gemm_bf16_rows_neon_bf16(const float* const* a, size_t rows, size_t taps, size_t depth,
                              BFloat16* out) {
  auto* to = reinterpret_cast<bfloat16_t*>(out);
  for (; rows >= kRows; rows -= kRows, a += kRows * taps) {
    to = pack_tile<3>(a, kRows, taps, depth, to);
  }
  if (rows > 4) {
    pack_tile<3>(a, rows, taps, depth, to);
  } else if (rows > 2) {
    pack_tile<2>(a, rows, taps, depth, to);
  } else if (rows > 0) {
    pack_tile<1>(a, rows, taps, depth, to);
  }
}

void gemm_bf16_neon_bf16(const GemmBf16Strip& strip) {
  const size_t tiles = strip.cols == kColumns ? strip.rows / kRows : 0;
  if (strip.residual != nullptr) {
    gemm_bf16_full_tiles<true>(strip, tiles);
  } else {
    gemm_bf16_full_tiles<false>(strip, tiles);
  }
  for (size_t row = tiles * kRows; row < strip.rows; row += kRows) run_partial_tile(strip, row);
}

}  // namespace hone
