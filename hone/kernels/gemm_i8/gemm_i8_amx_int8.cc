// The product by tiles of AMX: 16 rows of 64 values of k times 16 columns, added to 16 x 16 sums.
// Two by two of them are 32 x 32 outputs: four loads and four products for 64 values of k, of which
// the products take 64 cycles and the loads run beside them.
//
// The sums start at zero and the bias is added when they leave: loads of tiles that repeat it in every
// row would take as long as those of a step.
#if defined(__x86_64__)
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hone/kernels/amx_tiles.h"
#include "hone/kernels/gemm_i8/gemm_i8_finish_avx512.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"

namespace hone {
namespace {

constexpr size_t kColumns = kAmxColumns;
constexpr size_t kDepth = 64;  // Of a tile, in values of k.
constexpr size_t kStepBytes = kDepth * kColumns;

// Tiles 0 to 3 are sums, row by row; 4 and 5 activations; 6 and 7 weights. A macro, since
// instructions name their tiles.
#define HONE_MULTIPLY_TILES(sums, a, w) \
  if constexpr (std::is_signed_v<A>) {  \
    _tile_dpbssd(sums, a, w);           \
  } else {                              \
    _tile_dpbusd(sums, a, w);           \
  }

// kTileRows x kTileColumns tiles of sums, for `steps` times 64 values of k. After the products of
// each step, which take a while, beside() does other work.
template <class A, size_t kTileRows, size_t kTileColumns, class Beside>
[[gnu::always_inline]] inline void multiply(const GemmI8Panel& panel, size_t steps, const A* a,
                                            size_t pitch, size_t tile_rows, AmxSums<int32_t>& to,
                                            const Beside& beside) {
  const int8_t* w = panel.weights;
  const A* below = a + tile_rows * pitch;
  _tile_zero(0);
  if constexpr (kTileColumns > 1) _tile_zero(1);
  if constexpr (kTileRows > 1) _tile_zero(2);
  if constexpr (kTileRows > 1 && kTileColumns > 1) _tile_zero(3);
  for (; steps > 0; --steps, a += kDepth, below += kDepth, w += kStepBytes) {
    _tile_loadd(6, w, 4 * kColumns);
    _tile_loadd(4, a, pitch);
    HONE_MULTIPLY_TILES(0, 4, 6)
    if constexpr (kTileColumns > 1) {
      _tile_loadd(7, w + 64, 4 * kColumns);
      HONE_MULTIPLY_TILES(1, 4, 7)
    }
    if constexpr (kTileRows > 1) {
      _tile_loadd(5, below, pitch);
      HONE_MULTIPLY_TILES(2, 5, 6)
      if constexpr (kTileColumns > 1) {
        HONE_MULTIPLY_TILES(3, 5, 7)
      }
    }
    beside();
  }
  _tile_stored(0, to.rows[0], sizeof(to.rows[0]));
  if constexpr (kTileColumns > 1) _tile_stored(1, to.rows[0] + 16, sizeof(to.rows[0]));
  if constexpr (kTileRows > 1) _tile_stored(2, to.rows[tile_rows], sizeof(to.rows[0]));
  if constexpr (kTileRows > 1 && kTileColumns > 1) {
    _tile_stored(3, to.rows[tile_rows] + 16, sizeof(to.rows[0]));
  }
}

template <size_t kTileColumns, class A, class Y>
void run_strip(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, kColumns);
  const size_t steps = (strip.k + kDepth - 1) / kDepth;
  with_panel_finish<A, Y, kTileColumns>(panel, strip, [&](const auto& finish) {
    amx_strip<int32_t>(strip.rows, steps, strip.panel, panel.weights + steps * kStepBytes, finish,
                       [&]<size_t kTileRows>(size_t from, size_t tile_rows, AmxSums<int32_t>& to,
                                             const auto& beside) {
                         multiply<A, kTileRows, kTileColumns>(panel, steps,
                                                              strip.a + from * strip.a_pitch,
                                                              strip.a_pitch, tile_rows, to, beside);
                       });
  });
}

__mmask64 first_bytes(size_t bytes) {
  return bytes >= 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
}

void copy_bytes(const uint8_t* from, size_t bytes, uint8_t* to) {
  size_t i = 0;
  for (; i + 64 <= bytes; i += 64) _mm512_storeu_si512(to + i, _mm512_loadu_si512(from + i));
  if (i == bytes) return;
  const __mmask64 rest = first_bytes(bytes - i);
  _mm512_mask_storeu_epi8(to + i, rest, _mm512_maskz_loadu_epi8(rest, from + i));
}

}  // namespace

void gemm_i8_copy_rows_amx_int8(const uint8_t* const* taps, const GemmI8PlainRows& shape,
                                uint8_t* out) {
  for (size_t row = 0; row < shape.rows; ++row, taps += shape.taps, out += shape.pitch) {
    for (size_t tap = 0; tap < shape.taps; ++tap) {
      copy_bytes(taps[tap], shape.depth, out + tap * shape.depth);
    }
  }
}

template <class A, class Y>
void gemm_i8_amx_int8(const GemmI8Strip<A, Y>& strip) {
  if (strip.cols > 16) return run_strip<2>(strip);
  run_strip<1>(strip);
}

template void gemm_i8_amx_int8(const GemmI8Strip<int8_t>&);
template void gemm_i8_amx_int8(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_amx_int8(const GemmI8Strip<uint8_t>&);
template void gemm_i8_amx_int8(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#undef HONE_MULTIPLY_TILES
#endif
