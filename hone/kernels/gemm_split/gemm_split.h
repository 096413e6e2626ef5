// gemm.h's product of floats by units that multiply bfloat16, where those are many times as fast:
// every float is the sum of three of them (8 + 8 + 8 bits of its significand), and of the nine
// products of two floats' parts the six largest are added. Those left out are less than 3 * 2^-24 of
// the product, with either sign: less than what adding up floats loses.
//
// Weights are taken apart once, into panels of `nr` columns (gemm_split_pack); rows a block at a
// time, just before all panels are multiplied with them (gemm_split_block).
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/gemm/gemm_block.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// The parts of a float, largest first. Of weights each is the bfloat16 nearest to what is left; of
// rows, which are taken apart in every run, what is left with its last 16 bits cut off.
inline constexpr size_t kSplitParts = 3;
// Values of k in a step, to which the joined taps of a row are padded with zeros.
inline constexpr size_t kSplitStep = 32;
// Rows and columns of a tile. It holds a step of one part, in pairs: first the values 0 and 16 of k
// of the first row or column, then 1 and 17, up to 15 and 31. Of rows, those are [16 rows][16 pairs];
// of columns, which multiply them, [16 pairs][16 columns].
inline constexpr size_t kSplitTile = 16;
inline constexpr size_t kSplitTileElements = kSplitTile * kSplitStep;

// Floats from here on have no nearest bfloat16, or their parts have no product that is a number.
inline constexpr float kSplitLimit = 0x1p127F;

// A block of rows times panels.
struct GemmSplitStrip {
  size_t rows;  // At least 1.
  size_t taps;  // A row is `taps` pieces of `depth` floats.
  size_t depth;
  size_t cols;              // Of all panels, at least 1: only the last may have fewer than nr.
  const float* const* a;    // [rows][taps]
  const std::byte* panels;  // One behind the other.
  float* c;                 // Rows `c_stride` elements apart.
  size_t c_stride;
  const float* residual;  // Null, or rows `residual_stride` apart; may be c itself.
  size_t residual_stride;
  float low;
  float high;
  bool far_rows;        // As in GemmTile.
  FetchAhead* ahead;    // What is read after the panels, or null.
  BFloat16* row_parts;  // Room for [tiles of rows][steps][parts] tiles, aligned to 64 bytes.
};

struct GemmSplitKernel {
  size_t mr;  // Multiples of kSplitTile.
  size_t nr;
  // Panel: nr float biases, then [steps][parts][nr / 16] tiles. False, and nothing is done, where a
  // row has a value that is no number below kSplitLimit.
  bool (*run)(const GemmSplitStrip& strip);

  size_t panels(size_t n) const { return (n + nr - 1) / nr; }
  size_t steps(size_t k) const { return (k + kSplitStep - 1) / kSplitStep; }
  // Of a row or a column, of which a tile has 16.
  size_t part_bytes(size_t k) const {
    return steps(k) * kSplitStep * kSplitParts * sizeof(BFloat16);
  }
  size_t rows_bytes(size_t rows, size_t k) const {
    return (rows + kSplitTile - 1) / kSplitTile * kSplitTile * part_bytes(k);
  }
  size_t panel_bytes(size_t k) const { return nr * (sizeof(float) + part_bytes(k)); }
};

// Fastest first; ends in "ref". Against sums in double, the error is at most (k + 20) * 2^-24 of the
// sum of magnitudes; operands below 2^-100 may be off by 2^-126.
std::span<const KernelVariant<GemmSplitKernel>> gemm_split_variants();

// Whether every weight and every bias is a number that has parts.
bool gemm_split_takes(const GemmWeights<float>& w);

// Writes the panels first .. last - 1, panel_bytes each, to `out`, which is aligned to 64 bytes.
void gemm_split_pack(const GemmSplitKernel& kernel, const GemmWeights<float>& w, size_t first,
                     size_t last, std::byte* out);

struct GemmSplitProduct {
  const GemmSplitKernel& kernel;
  size_t n;
  size_t taps;
  size_t depth;
  const std::byte* panels;  // gemm_split_pack's.
  float low;
  float high;
  FetchAhead* ahead = nullptr;  // As in GemmSplitStrip.
};

// Panels first .. last - 1. `scratch` is rows_bytes of the block's rows, aligned to 64 bytes. Blocks
// with infinities, NaNs and floats of kSplitLimit and more go by a plain loop.
void gemm_split_block(const GemmSplitProduct& product, const GemmRows<float>& block, size_t first,
                      size_t last, std::byte* scratch);

}  // namespace hone
