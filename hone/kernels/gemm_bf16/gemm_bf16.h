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

// How operands lie, in steps of some values of k:
//   Quads  steps of 4, every tap padded to them with zeros. Rows: tiles of `mr`, the last one may
//          have fewer, [steps][its rows, rounded up to 2][4]; what the rows beyond the last hold
//          does not matter. Panel: [nr / 2][2][2] float biases, those of two columns twice over,
//          the order in which the sums of two rows lie; then [steps][nr][4] weights.
//   Pairs  steps of 32, the taps of a row joined and padded to them with zeros. Rows: one after the
//          other. Panel: nr float biases, then [steps][16][nr][2] weights.
// Columns beyond the last are zero.
enum class GemmBf16Layout { Quads, Pairs };

// One panel times a strip of packed rows.
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
  GemmBf16Layout layout;
  // Rounds rows to GemmBf16Strip::a. `a` is [rows][taps] pointers to `depth` floats each.
  void (*pack_rows)(const float* const* a, size_t rows, size_t taps, size_t depth, BFloat16* out);
  void (*run)(const GemmBf16Strip& strip);

  // Rows of the parts that a tile consists of: what is left of rows is computed by parts.
  size_t grain() const { return mr > 16 ? mr / 2 : mr; }
  // Rows that blocks for threads should be multiples of: parts are as high as their rows need.
  size_t block_step() const { return grain() < mr ? 1 : mr; }
  bool quads() const { return layout == GemmBf16Layout::Quads; }
  size_t panels(size_t n) const { return (n + nr - 1) / nr; }
  // Values of k in a step, and how many steps a row takes.
  size_t step() const { return quads() ? 4 : 32; }
  size_t steps(size_t taps, size_t depth) const {
    const size_t joined = quads() ? depth : taps * depth;
    return (quads() ? taps : 1) * ((joined + step() - 1) / step());
  }
  size_t panel_bytes(size_t steps) const {
    return nr * ((quads() ? 2 : 1) * sizeof(float) + steps * step() * sizeof(BFloat16));
  }
  // Of packed rows.
  size_t rows_bytes(size_t rows, size_t steps) const {
    return (quads() ? rows + rows % 2 : rows) * steps * step() * sizeof(BFloat16);
  }
};

// Fastest first; ends in "ref". Sums are taken in an order of the variant's own, and operands below
// the smallest normal number may count as zero: against sums in double of the rounded operands, the
// error is at most k * 2^-23 of the sum of magnitudes.
std::span<const KernelVariant<GemmBf16Kernel>> gemm_bf16_variants();

// Writes the panels first .. last - 1, panel_bytes each, to `out`, which is aligned to 64 bytes.
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
// `scratch` is rows_bytes of the block's rows, aligned to 64 bytes.
void gemm_bf16_block(const GemmBf16Product& product, const GemmRows<float>& block, size_t first,
                     size_t last, std::byte* scratch);

}  // namespace hone
