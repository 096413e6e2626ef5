// The matrix product of `--precision bf16`: gemm.h's product of float rows and float results, with
// both multiplicands rounded to bfloat16 (nearest, ties to even) and the sums in float.
//
// Weights are rounded once, into panels of `nr` columns (gemm_bf16_pack); rows are rounded a block
// at a time, just before all panels are multiplied with them (gemm_bf16_block). Rounding them in
// the tile would save that pass but does it once per panel: on a Neoverse-V1, whose BFCVTN goes
// through one of the four pipes that multiply, that tile runs at 30 % of peak instead of 100.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/gemm/gemm_block.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// Values of k that lie side by side in panels and packed rows. Every tap is padded to a multiple of
// it with zeros, so k is counted in steps of so many.
inline constexpr size_t kGemmBf16Depth = 4;
inline constexpr size_t gemm_bf16_steps(size_t taps, size_t depth) {
  return taps * ((depth + kGemmBf16Depth - 1) / kGemmBf16Depth);
}

// One panel times a strip of packed rows.
//   a      tiles of `mr` rows, the last one may have fewer. A tile is [steps][its rows, rounded up
//          to 2][4]; what the rows beyond the last hold does not matter.
//   panel  [nr / 2][2][2] float biases, those of two columns twice over: the order in which the
//   sums
//          of two rows lie. Then [steps][nr][4] weights. Columns beyond the last are zero.
struct GemmBf16Strip {
  size_t rows;  // At least 1.
  size_t cols;  // 1 .. nr
  size_t steps;
  const BFloat16* a;
  const std::byte* panel;
  float* c;  // Rows `c_stride` elements apart.
  size_t c_stride;
  const float* residual;  // Null, or rows `residual_stride` apart; may be c itself.
  size_t residual_stride;
  float low;
  float high;
};

struct GemmBf16Kernel {
  size_t mr;  // Even.
  size_t nr;  // Even.
  // Rounds rows to GemmBf16Strip::a. `a` is [rows][taps] pointers to `depth` floats each.
  void (*pack_rows)(const float* const* a, size_t rows, size_t taps, size_t depth, BFloat16* out);
  void (*run)(const GemmBf16Strip& strip);

  size_t panels(size_t n) const { return (n + nr - 1) / nr; }
  size_t panel_bytes(size_t steps) const {
    return nr * (2 * sizeof(float) + steps * kGemmBf16Depth * sizeof(BFloat16));
  }
  // Of packed rows.
  size_t rows_bytes(size_t rows, size_t steps) const {
    return (rows + rows % 2) * steps * kGemmBf16Depth * sizeof(BFloat16);
  }
};

// Fastest first; ends in "ref". Sums are taken in an order of the variant's own, and operands below
// the smallest normal number may count as zero: against sums in double of the rounded operands, the
// error is at most k * 2^-23 of the sum of magnitudes.
std::span<const KernelVariant<GemmBf16Kernel>> gemm_bf16_variants();

// Writes the panels first .. last - 1, panel_bytes each, to `out`, which is aligned to 16 bytes.
// `depth` values of w.k belong to each tap.
void gemm_bf16_pack(const GemmBf16Kernel& kernel, const GemmWeights<float>& w, size_t depth,
                    size_t first, size_t last, std::byte* out);

struct GemmBf16Product {
  const GemmBf16Kernel& kernel;
  size_t n;
  size_t taps;
  size_t depth;
  const std::byte* panels;  // gemm_bf16_pack's.
  float low;
  float high;
};

// Panels first .. last - 1, of which one stays in the first-level cache while the rows pass by.
// `scratch` is rows_bytes of the block's rows, aligned to 16 bytes.
void gemm_bf16_block(const GemmBf16Product& product, const GemmRows<float>& block, size_t first,
                     size_t last, std::byte* scratch);

}  // namespace hone
