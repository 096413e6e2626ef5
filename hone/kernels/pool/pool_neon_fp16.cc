// Maxima in half precision; sums of means in floats.
#include "hone/kernels/hwy_targets.h"

#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/neon_vectors.h"
#include "hone/kernels/pool/pool-inl.h"

namespace hone {

void pool_f16_neon_fp16(const PoolArgs<Half>& p, size_t first, size_t last) {
  if (p.average) return HWY_NAMESPACE::pool_floats<HWY_NAMESPACE::HwyF16>(p, first, last);
  const PoolArgs<float16_t> native{p.average,
                                   p.count_pad,
                                   p.height,
                                   p.width,
                                   p.channels,
                                   reinterpret_cast<const float16_t*>(p.x),
                                   reinterpret_cast<float16_t*>(p.y),
                                   p.low,
                                   p.high};
  HWY_NAMESPACE::pool_floats<NeonF16>(native, first, last);
}

}  // namespace hone
