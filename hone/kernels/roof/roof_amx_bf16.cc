#include <numeric>

#include "hone/kernels/roof/roof_amx.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {

double roof_bf16_amx_bf16(size_t rounds) {
  alignas(64) float sums[4 * 256];
  HONE_AMX_ROOF(_tile_dpbf16ps, rounds, 0x3f803f80, sums);
  return std::accumulate(sums, sums + 4 * 256, 0.0);
}

}  // namespace hone
