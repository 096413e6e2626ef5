#include <numeric>

#include "hone/kernels/roof/roof_amx.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {

double roof_int8_amx_int8(size_t rounds) {
  alignas(64) int32_t sums[4 * 256];
  HONE_AMX_ROOF(_tile_dpbssd, rounds, 0x01010101, sums);
  return std::accumulate(sums, sums + 4 * 256, 0.0);
}

}  // namespace hone
