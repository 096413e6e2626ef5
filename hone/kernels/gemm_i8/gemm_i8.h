// The integer matrix product that quantized convolutions and fully connected layers run on:
//   y[r][o] = requantize(bias[o] + sum over taps t and k of (a[r][t][k] - a_zero) * w[o][t][k])
// with int8 or uint8 activations a and y, int8 weights w without a zero point and one scale per
// output channel o; or the sums themselves, as int32. A plain matrix product has one tap; a
// convolution has one per pixel of its kernel, each with its own row pointers.
//
// Weights are packed once into panels of `nr` output channels (gemm_i8_pack); gemm_i8_rows then
// computes any range of rows and panels, and calls on disjoint ranges may run at the same time.
// It packs the activations of a block of rows as it goes. Every variant gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/requantize.h"
#include "hone/kernels/variant.h"

namespace hone {

// One panel times a strip of rows, whose activations lie in one of two ways:
//   tiles       of `mr` rows (the last one may have fewer), [k / 8][its rows, rounded up to
//               `row_step`][8], with k = taps * depth rounded up to 8
//   plain rows  `a_pitch` apart, each of k rounded up to `k_step` values
// What the padding holds does not matter. Y is A, or int32_t for the sums.
template <class A, class Y = A>
struct GemmI8Strip {
  size_t rows;        // At least 1.
  size_t cols;        // 1 .. nr
  size_t k;           // taps * depth
  const A* a;         // Tiles are aligned to 16 bytes.
  size_t a_pitch;     // Of plain rows.
  const void* panel;  // As gemm_i8_pack leaves it.
  Y* y;               // Rows `y_stride` elements apart.
  size_t y_stride;
};

// Rows of `taps` taps each, which become plain rows `pitch` apart.
struct GemmI8PlainRows {
  size_t rows;
  size_t taps;
  size_t depth;
  size_t pitch;
};

// A is int8_t or uint8_t.
template <class A>
struct GemmI8Kernel {
  size_t mr;        // Rows of a tile.
  size_t row_step;  // Rows that packed activations are padded to; divides mr. Multiples of it up
                    // to mr must be among 1, 2, 4, 6, 8 and 12.
  size_t nr;        // Output channels of a panel, at most 64.
  size_t kr;        // Values of k that lie side by side in a panel; 1, 2, 4 or 8.
  size_t copies;    // How often each pair of a panel's constants is repeated; 1 or 2.
  uint8_t flip;     // Xor to every activation on packing: 0x80 turns int8 into uint8 and back.
  size_t k_step;    // Panels hold k rounded up to it.
  // Copies taps to plain rows; null for kernels that take tiles. Plain rows of one tap that are evenly
  // spaced may be read where they are.
  void (*copy_rows)(const uint8_t* const* taps, const GemmI8PlainRows& shape, uint8_t* out);
  void (*run)(const GemmI8Strip<A>& strip);
  void (*run_sums)(const GemmI8Strip<A, int32_t>& strip);

  // Rows of the parts that a tile consists of: what is left of rows is computed by parts.
  size_t grain() const { return copy_rows == nullptr ? mr : mr / 2; }
  // Rows that blocks for threads should be multiples of: parts are as high as their rows need.
  size_t block_step() const { return grain() < mr ? 1 : mr; }
  size_t padded(size_t k) const { return (k + k_step - 1) / k_step * k_step; }
  size_t panels(size_t n) const { return (n + nr - 1) / nr; }
  size_t panel_bytes(size_t k) const;
};

// Fastest first; end in "ref".
std::span<const KernelVariant<GemmI8Kernel<int8_t>>> gemm_i8_variants();
std::span<const KernelVariant<GemmI8Kernel<uint8_t>>> gemm_u8_variants();
template <class A>
std::span<const KernelVariant<GemmI8Kernel<A>>> gemm_i8_variants_of();

// What a layer computes. Sums wrap at 32 bits.
struct GemmI8Weights {
  const int8_t* w;  // [n][taps][depth], as OHWI weights lie.
  size_t n;
  size_t taps;
  size_t depth;
  const int32_t* bias;            // Null: zeros.
  int32_t a_zero;                 // Within A.
  Requantization requantization;  // zero_point, low and high within A. Without multipliers the
                                  // panels are good for sums only.
};

// Writes the panels first .. last - 1, panel_bytes(taps * depth) each, to `out`, which is aligned
// to 64 bytes. Nothing of `weights` is needed afterwards.
template <class A>
void gemm_i8_pack(const GemmI8Kernel<A>& kernel, const GemmI8Weights& weights, size_t first,
                  size_t last, void* out);

// The product with packed weights. Activations come in one of two ways:
//   rows      [rows][taps] pointers, each to `depth` values. A tap outside the image points to
//             `depth` values that equal a_zero. Filled row by row, so a caller may make them for
//             one block of rows at a time (gemm_i8_block_rows), with y at the block's first row.
//   a         when rows is null and taps is 1: row r starts at a + r * a_stride.
// Y as in GemmI8Strip.
template <class A, class Y = A>
struct GemmI8Args {
  const GemmI8Kernel<A>* kernel;
  size_t n;
  size_t taps;
  size_t depth;
  const void* panels;  // All of them, from the first.
  const A* const* rows;
  const A* a;
  size_t a_stride;
  Y* y;  // Row r, channel o at y[r * y_stride + o].
  size_t y_stride;
  void* scratch;  // gemm_i8_scratch_bytes, aligned to 64 bytes, one per thread.
};

// Computes rows [row_begin, row_end) of the panels [panel_begin, panel_end).
template <class A, class Y>
void gemm_i8_rows(const GemmI8Args<A, Y>& args, size_t row_begin, size_t row_end,
                  size_t panel_begin, size_t panel_end);

// The most rows gemm_i8_rows works on at a time: every panel is read once for each such block. A
// multiple of mr.
template <class A>
size_t gemm_i8_block_rows(const GemmI8Kernel<A>& kernel, size_t n, size_t k);
// For ranges of `rows` rows at most.
template <class A>
size_t gemm_i8_scratch_bytes(const GemmI8Kernel<A>& kernel, size_t n, size_t k, size_t rows);

}  // namespace hone
