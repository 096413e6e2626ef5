// Which instruction sets Highway compiles the `hwy` variants for. Included before any header of
// Highway, in every source that uses it.
#pragma once

#include "hone/device/cpu_features.h"

#if defined(HONE_WITHOUT_AVX512)
#define HONE_HWY_UNUSED (HWY_AVX3 | HWY_AVX3_DL)
#else
#define HONE_HWY_UNUSED 0
#endif
// Vectors of unknown length cannot be members or array elements, which the kernels need.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_SSSE3 | HONE_HWY_UNUSED)

// The least that is compiled. The tables of variants ask for it, so Highway's scalar emulation,
// slower than the references, is left out.
#if defined(__x86_64__)
#define HWY_BASELINE_TARGETS HWY_SSE4
#endif

namespace hone {

#if defined(__x86_64__)
inline constexpr CpuFeatures kHwy = kSse42;
// Conversions from and to half precision are exact only where the CPU has them.
inline constexpr CpuFeatures kHwyF16 = kAvx2 | kFma | kF16c;
#elif defined(__aarch64__)
inline constexpr CpuFeatures kHwy = kNeon;
inline constexpr CpuFeatures kHwyF16 = kNeon;
#else
inline constexpr CpuFeatures kHwy = kNoFeature;
inline constexpr CpuFeatures kHwyF16 = kNoFeature;
#endif

}  // namespace hone
