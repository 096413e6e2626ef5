#include <algorithm>

#include "hone/kernels/gemm_bf16/gemm_bf16_variants.h"

namespace hone {
namespace {

constexpr size_t kRows = kGemmBf16RefRows;
constexpr size_t kColumns = kGemmBf16RefColumns;
constexpr size_t kDepth = kGemmBf16Depth;

}  // namespace

void gemm_bf16_rows_ref(const float* const* a, size_t rows, size_t taps, size_t depth,
                        BFloat16* out) {
  for (size_t row = 0; row < rows; row += kRows) {
    for (size_t t = 0; t < taps; ++t) {
      for (size_t k = 0; k < depth; k += kDepth) {
        for (size_t r = 0; r < kRows; ++r) {
          const float* from = a[std::min(row + r, rows - 1) * taps + t];
          for (size_t i = k; i < k + kDepth; ++i) {
            *out++ = i < depth ? BFloat16(from[i]) : BFloat16();
          }
        }
      }
    }
  }
}

void gemm_bf16_ref(const GemmBf16Strip& strip) {
  const auto* bias = reinterpret_cast<const float*>(strip.panel);
  const auto* weights = reinterpret_cast<const BFloat16*>(bias + 2 * kColumns);
  for (size_t r = 0; r < strip.rows; ++r) {
    const BFloat16* tile = strip.a + r / kRows * strip.steps * kRows * kDepth;
    for (size_t n = 0; n < strip.cols; ++n) {
      double sum = bias[n / 2 * 4 + n % 2];
      for (size_t s = 0; s < strip.steps; ++s) {
        const BFloat16* a = tile + (s * kRows + r % kRows) * kDepth;
        const BFloat16* w = weights + (s * kColumns + n) * kDepth;
        for (size_t i = 0; i < kDepth; ++i) sum += double{float{a[i]}} * float{w[i]};
      }
      if (strip.residual != nullptr) sum += strip.residual[r * strip.residual_stride + n];
      strip.c[r * strip.c_stride + n] =
          std::min(std::max(static_cast<float>(sum), strip.low), strip.high);
    }
  }
}

}  // namespace hone
