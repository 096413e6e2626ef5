#include <algorithm>
#include <bit>
#include <cmath>

#include "hone/kernels/gemm_split/gemm_split_variants.h"

namespace hone {
namespace {

constexpr size_t kColumns = kGemmSplitRefColumns;

// Takes a row apart; false where it has a value without parts.
bool split_row(const GemmSplitStrip& strip, size_t row, size_t steps) {
  const size_t k = strip.taps * strip.depth;
  for (size_t i = 0; i < steps * kSplitStep; ++i) {
    float left = i < k ? strip.a[row * strip.taps + i / strip.depth][i % strip.depth] : 0;
    if (!(std::abs(left) < kSplitLimit)) return false;
    BFloat16* to = strip.row_parts + split_row_at(row, i, steps);
    for (size_t part = 0; part < kSplitParts; ++part, to += kSplitTileElements) {
      to->bits = static_cast<uint16_t>(std::bit_cast<uint32_t>(left) >> 16);
      left -= float{*to};
    }
  }
  return true;
}

// The products of parts that are added, of one row with one column.
double sum_of_parts(const GemmSplitStrip& strip, const BFloat16* weights, size_t row, size_t column,
                    size_t steps) {
  double sum = 0;
  for (size_t k = 0; k < steps * kSplitStep; ++k) {
    const BFloat16* x = strip.row_parts + split_row_at(row, k, steps);
    const BFloat16* w = weights + split_column_at(column, k, kColumns / kSplitTile);
    for (size_t p = 0; p < kSplitParts; ++p) {
      for (size_t q = 0; p + q < kSplitParts; ++q) {
        sum += double{float{x[p * kSplitTileElements]}} * float{w[q * kSplitTileElements]};
      }
    }
  }
  return sum;
}

void multiply_row(const GemmSplitStrip& strip, const std::byte* panel, size_t row, size_t first,
                  size_t steps) {
  const auto* bias = reinterpret_cast<const float*>(panel);
  const auto* weights = reinterpret_cast<const BFloat16*>(bias + kColumns);
  for (size_t n = 0; n < std::min(kColumns, strip.cols - first); ++n) {
    double sum = bias[n] + sum_of_parts(strip, weights, row, n, steps);
    if (strip.residual != nullptr) sum += strip.residual[row * strip.residual_stride + first + n];
    strip.c[row * strip.c_stride + first + n] =
        std::min(std::max(static_cast<float>(sum), strip.low), strip.high);
  }
}

}  // namespace

bool gemm_split_ref(const GemmSplitStrip& strip) {
  const GemmSplitKernel layout{.mr = kSplitTile, .nr = kColumns, .run = nullptr};
  const size_t k = strip.taps * strip.depth;
  for (size_t row = 0; row < strip.rows; ++row) {
    if (!split_row(strip, row, layout.steps(k))) return false;
  }
  const std::byte* panel = strip.panels;
  for (size_t first = 0; first < strip.cols; first += kColumns, panel += layout.panel_bytes(k)) {
    for (size_t row = 0; row < strip.rows; ++row) {
      multiply_row(strip, panel, row, first, layout.steps(k));
    }
  }
  return true;
}

}  // namespace hone
