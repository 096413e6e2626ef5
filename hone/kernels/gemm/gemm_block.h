// Runs a matrix product over a block of rows and a range of panels.
#pragma once

#include <algorithm>

#include "hone/kernels/gemm/gemm.h"

namespace hone {

template <class T>
struct GemmProduct {
  GemmKernel<T> kernel;
  size_t n;
  size_t taps;
  size_t depth;
  const T* panels;  // gemm_pack's.
  float low;
  float high;
  const T* next = nullptr;      // What is read after the panels, if known.
  FetchAhead* ahead = nullptr;  // What is read after that.
};

// The rows of a block: outputs, and where their operands start.
template <class T>
struct GemmRows {
  size_t rows;
  const T* const* a;  // [rows][taps], as in GemmTile.
  T* c;               // First row, column 0 of the product.
  size_t c_stride;
  const T* residual;  // Null, or of the same place as c.
  size_t residual_stride;
  bool far_rows = false;  // As in GemmTile; near once the first panel has met them.
  size_t tap_step = 0;    // As in GemmTile.
};

// The panel from which on `ahead` is fetched, a line for each step of a tile beside those of the next
// panel: as late as may be, or panels would take the place of what was fetched.
template <class T>
size_t first_to_fetch(const GemmProduct<T>& product, const GemmRows<T>& block, size_t first,
                      size_t last) {
  if (product.ahead == nullptr) return last;
  const GemmKernel<T>& kernel = product.kernel;
  const size_t k = product.taps * product.depth;
  const size_t steps = (block.rows + kernel.mr - 1) / kernel.mr * k;
  const size_t own = kernel.panel_elements(k) * sizeof(T) / kFetchedLine;
  const size_t free = std::max(steps / 8, steps - std::min(own, steps)) + 1;
  return last - std::min(last - first, (product.ahead->lines() + free - 1) / free);
}

// Panels first .. last - 1. A panel meets all tiles before the next is touched: it stays in the
// first-level cache, the block's rows in the second.
template <class T>
void gemm_block(const GemmProduct<T>& product, const GemmRows<T>& block, size_t first,
                size_t last) {
  const GemmKernel<T>& kernel = product.kernel;
  const size_t panel_size = kernel.panel_elements(product.taps * product.depth);
  const size_t fetching = first_to_fetch(product, block, first, last);
  for (size_t panel = first; panel < last; ++panel) {
    const size_t column = panel * kernel.nr;
    const T* b = product.panels + panel * panel_size;
    kernel.run({.rows = block.rows,
                .cols = std::min(kernel.nr, product.n - column),
                .taps = product.taps,
                .depth = product.depth,
                .a = block.a,
                .b = b,
                .c = block.c + column,
                .c_stride = block.c_stride,
                .residual = block.residual == nullptr ? nullptr : block.residual + column,
                .residual_stride = block.residual_stride,
                .low = product.low,
                .high = product.high,
                .next = panel + 1 < last ? b + panel_size : product.next,
                .ahead = panel < fetching ? nullptr : product.ahead,
                .far_rows = block.far_rows && panel == first,
                .tap_step = block.tap_step});
  }
}

}  // namespace hone
