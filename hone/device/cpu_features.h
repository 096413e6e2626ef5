#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

// A set of CPU features, one bit each: what a kernel needs, or what the CPU has.
using CpuFeatures = uint32_t;

inline constexpr CpuFeatures kNoFeature = 0;

// aarch64
inline constexpr CpuFeatures kNeon = 1u << 0;
inline constexpr CpuFeatures kFp16 = 1u << 1;     // Arithmetic on half precision vectors.
inline constexpr CpuFeatures kDotprod = 1u << 2;  // SDOT, UDOT.
inline constexpr CpuFeatures kFp16Fml = 1u << 3;  // FMLAL: half precision into single.
inline constexpr CpuFeatures kI8mm = 1u << 4;     // SMMLA, USDOT.
inline constexpr CpuFeatures kBf16 = 1u << 5;     // BFDOT, BFMMLA.
inline constexpr CpuFeatures kSve = 1u << 6;
inline constexpr CpuFeatures kSve2 = 1u << 7;

// x86-64
inline constexpr CpuFeatures kSse42 = 1u << 8;
inline constexpr CpuFeatures kAvx = 1u << 9;
inline constexpr CpuFeatures kAvx2 = 1u << 10;
inline constexpr CpuFeatures kFma = 1u << 11;
inline constexpr CpuFeatures kF16c = 1u << 12;
inline constexpr CpuFeatures kAvx512f = 1u << 13;
inline constexpr CpuFeatures kAvx512dq = 1u << 14;
inline constexpr CpuFeatures kAvx512bw = 1u << 15;
inline constexpr CpuFeatures kAvx512vl = 1u << 16;
inline constexpr CpuFeatures kAvx512Vnni = 1u << 17;
inline constexpr CpuFeatures kAvx512Bf16 = 1u << 18;
inline constexpr CpuFeatures kAvx512Fp16 = 1u << 19;
inline constexpr CpuFeatures kAvxVnni = 1u << 20;
inline constexpr CpuFeatures kAmxTile = 1u << 21;
inline constexpr CpuFeatures kAmxInt8 = 1u << 22;
inline constexpr CpuFeatures kAmxBf16 = 1u << 23;
inline constexpr CpuFeatures kAvx512Vbmi = 1u << 24;

// What sources compiled for AVX-512 may use.
inline constexpr CpuFeatures kAvx512 =
    kAvx2 | kFma | kF16c | kAvx512f | kAvx512dq | kAvx512bw | kAvx512vl;

// What kernels may use: what this CPU has, less what HONE_CPU_FEATURES takes away. Read once; ends
// the program where the variable cannot be read.
CpuFeatures cpu_features();

// What this CPU has and the operating system lets programs use. Detected once.
CpuFeatures detected_cpu_features();

// What HONE_CPU_FEATURES takes away now, and all that needs it; an error that names what it does
// not know.
Result<CpuFeatures> taken_cpu_features();

// The same of "-amx_int8,-avx512": names of features, or amx and avx512 for all of them.
Result<CpuFeatures> features_taken_by(std::string_view text);

// Whether every one of `features` is there.
inline bool cpu_has(CpuFeatures features) {
  return (cpu_features() & features) == features;
}

// {"neon", "fp16", "dotprod"}.
std::vector<std::string_view> feature_names(CpuFeatures features);

}  // namespace hone
