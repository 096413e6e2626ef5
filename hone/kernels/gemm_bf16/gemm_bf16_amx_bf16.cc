// The product by tiles of AMX: 16 rows of 32 values of k times 16 columns, added to 16 x 16 sums;
// two by two of them at a time. As gemm_i8_amx_int8.cc does it.
#include "hone/kernels/amx_tiles.h"
#include "hone/kernels/gemm_bf16/gemm_bf16_finish_avx512.h"
#include "hone/kernels/gemm_bf16/gemm_bf16_variants.h"

namespace hone {
namespace {

constexpr size_t kColumns = kGemmBf16X86Columns;
constexpr size_t kStep = 32;

// Tiles 0 to 3 are sums, row by row; 4 and 5 rows of a; 6 and 7 weights.
template <size_t kTileRows, class Beside>
[[gnu::always_inline]] inline void multiply(const BFloat16* w, size_t steps, const BFloat16* a,
                                            size_t tile_rows, AmxSums<float>& to,
                                            const Beside& beside) {
  const size_t pitch = steps * kStep;
  const BFloat16* below = a + tile_rows * pitch;
  constexpr size_t kWeightsPitch = 2 * kColumns * sizeof(BFloat16);
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (kTileRows > 1) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (; steps > 0; --steps, a += kStep, below += kStep, w += kStep * kColumns) {
    _tile_loadd(6, w, kWeightsPitch);
    _tile_loadd(4, a, pitch * sizeof(BFloat16));
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, w + 32, kWeightsPitch);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTileRows > 1) {
      _tile_loadd(5, below, pitch * sizeof(BFloat16));
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    beside();
  }
  _tile_stored(0, to.rows[0], sizeof(to.rows[0]));
  _tile_stored(1, to.rows[0] + 16, sizeof(to.rows[0]));
  if constexpr (kTileRows > 1) {
    _tile_stored(2, to.rows[tile_rows], sizeof(to.rows[0]));
    _tile_stored(3, to.rows[tile_rows] + 16, sizeof(to.rows[0]));
  }
}

}  // namespace

void gemm_bf16_amx_bf16(const GemmBf16Strip& strip) {
  const auto* w =
      reinterpret_cast<const BFloat16*>(reinterpret_cast<const float*>(strip.panel) + kColumns);
  const size_t steps = strip.steps, pitch = steps * kStep;
  amx_strip<float>(
      strip.rows, steps, strip.panel, w + pitch * kColumns, Bf16Finish(strip),
      [&]<size_t kTileRows>(size_t from, size_t tile_rows, AmxSums<float>& to, const auto& beside) {
        multiply<kTileRows>(w, steps, strip.a + from * pitch, tile_rows, to, beside);
      });
}

}  // namespace hone
