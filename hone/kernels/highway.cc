#include "hone/kernels/highway.h"

#include "hone/kernels/hwy_targets.h"

#include <hwy/highway.h>

namespace hone {
namespace {

struct HighwayNeeds {
  int64_t targets;
  CpuFeatures features;
};

constexpr HighwayNeeds kHighwayNeeds[] = {
#if defined(__x86_64__)
    {HWY_AVX2, kAvx2 | kFma | kF16c},
    {HWY_AVX3, kAvx512},
    {HWY_AVX3_DL, kAvx512 | kAvx512Vnni | kAvx512Vbmi},
#endif
    {HWY_STATIC_TARGET, kNoFeature},
};

}  // namespace

void limit_highway() {
  int64_t taken = 0;
  for (const HighwayNeeds& needs : kHighwayNeeds) {
    if (!cpu_has(needs.features)) taken |= needs.targets;
  }
  if (taken != 0) hwy::DisableTargets(taken);
}

std::string_view highway_target() {
  return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
}

}  // namespace hone
