#include "hone/kernels/gemm_split/gemm_split.h"

#include <algorithm>

#include "hone/kernels/gemm_split/gemm_split_variants.h"

namespace hone {

std::span<const KernelVariant<GemmSplitKernel>> gemm_split_variants() {
  static const KernelVariant<GemmSplitKernel> kVariants[] = {
#if defined(__x86_64__)
    {"amx_bf16", kAvx512 | kAmxTile | kAmxBf16, {32, kGemmSplitAmxColumns, gemm_split_amx_bf16}},
#endif
    {"ref", kNoFeature, {kSplitTile, kGemmSplitRefColumns, gemm_split_ref}},
  };
  return kVariants;
}

namespace {

// A weight in one piece again, which it is without loss.
float joined_weight(const GemmSplitKernel& kernel, const std::byte* panel, size_t k,
                    size_t column) {
  const size_t tiles = kernel.nr / kSplitTile;
  const auto* parts = reinterpret_cast<const BFloat16*>(panel + kernel.nr * sizeof(float)) +
                      split_column_at(column, k, tiles);
  float weight = 0;
  for (size_t part = kSplitParts; part-- > 0;) {
    weight += float{parts[part * tiles * kSplitTileElements]};
  }
  return weight;
}

void multiply_plainly(const GemmSplitProduct& product, const GemmRows<float>& block, size_t row,
                      size_t column) {
  const GemmSplitKernel& kernel = product.kernel;
  const size_t k = product.taps * product.depth, in_panel = column % kernel.nr;
  const std::byte* panel = product.panels + column / kernel.nr * kernel.panel_bytes(k);
  float sum = reinterpret_cast<const float*>(panel)[in_panel];
  for (size_t i = 0; i < k; ++i) {
    const float* a = block.a[row * product.taps + i / product.depth];
    sum += a[i % product.depth] * joined_weight(kernel, panel, i, in_panel);
  }
  if (block.residual != nullptr) sum += block.residual[row * block.residual_stride + column];
  // Of two operands, one of them NaN, the first: as the other kernels do.
  block.c[row * block.c_stride + column] = std::min(std::max(sum, product.low), product.high);
}

}  // namespace

void gemm_split_block(const GemmSplitProduct& product, const GemmRows<float>& block, size_t first,
                      size_t last, std::byte* scratch) {
  const GemmSplitKernel& kernel = product.kernel;
  const size_t column = first * kernel.nr, end = std::min(product.n, last * kernel.nr);
  const bool done = kernel.run(
      {.rows = block.rows,
       .taps = product.taps,
       .depth = product.depth,
       .cols = end - column,
       .a = block.a,
       .panels = product.panels + first * kernel.panel_bytes(product.taps * product.depth),
       .c = block.c + column,
       .c_stride = block.c_stride,
       .residual = block.residual == nullptr ? nullptr : block.residual + column,
       .residual_stride = block.residual_stride,
       .low = product.low,
       .high = product.high,
       .far_rows = block.far_rows,
       .ahead = product.ahead,
       .row_parts = reinterpret_cast<BFloat16*>(scratch)});
  for (size_t row = 0; !done && row < block.rows; ++row) {
    for (size_t c = column; c < end; ++c) multiply_plainly(product, block, row, c);
  }
}

}  // namespace hone
