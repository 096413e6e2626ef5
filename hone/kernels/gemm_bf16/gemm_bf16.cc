#include "hone/kernels/gemm_bf16/gemm_bf16.h"

#include "hone/kernels/gemm_bf16/gemm_bf16_variants.h"

namespace hone {

std::span<const KernelVariant<GemmBf16Kernel>> gemm_bf16_variants() {
  static const KernelVariant<GemmBf16Kernel> kVariants[] = {
#if defined(__aarch64__)
    {"neon_bf16",
     kBf16,
     {kGemmBf16NeonRows, kGemmBf16NeonColumns, GemmBf16Layout::Quads, gemm_bf16_rows_neon_bf16,
      gemm_bf16_neon_bf16}},
#elif defined(__x86_64__)
    {"amx_bf16",
     kAvx512 | kAvx512Bf16 | kAmxTile | kAmxBf16,
     {32, kGemmBf16X86Columns, GemmBf16Layout::Pairs, gemm_bf16_rows_avx512_bf16,
      gemm_bf16_amx_bf16}},
    {"avx512_bf16",
     kAvx512 | kAvx512Bf16,
     {8, kGemmBf16X86Columns, GemmBf16Layout::Pairs, gemm_bf16_rows_avx512_bf16,
      gemm_bf16_avx512_bf16}},
#endif
    {"ref",
     kNoFeature,
     {kGemmBf16RefRows, kGemmBf16RefColumns, GemmBf16Layout::Quads, gemm_bf16_rows_ref,
      gemm_bf16_ref}},
  };
  return kVariants;
}

void gemm_bf16_block(const GemmBf16Product& product, const GemmRows<float>& block, size_t first,
                     size_t last, std::byte* scratch) {
  const GemmBf16Kernel& kernel = product.kernel;
  const size_t steps = kernel.steps(product.taps, product.depth);
  auto* rows = reinterpret_cast<BFloat16*>(scratch);
  kernel.pack_rows(block.a, block.rows, product.taps, product.depth, rows);
  for (size_t panel = first; panel < last; ++panel) {
    const size_t column = panel * kernel.nr;
    kernel.run({.rows = block.rows,
                .cols = std::min(kernel.nr, product.n - column),
                .steps = steps,
                .a = rows,
                .panel = product.panels + panel * kernel.panel_bytes(steps),
                .c = block.c + column,
                .c_stride = block.c_stride,
                .residual = block.residual == nullptr ? nullptr : block.residual + column,
                .residual_stride = block.residual_stride,
                .low = product.low,
                .high = product.high});
  }
}

}  // namespace hone
