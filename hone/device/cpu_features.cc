#include "hone/device/cpu_features.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hone {
namespace {

struct NamedFeature {
  CpuFeatures bit;
  std::string_view name;
};

constexpr NamedFeature kNames[] = {
    {kNeon, "neon"},
    {kFp16, "fp16"},
    {kDotprod, "dotprod"},
    {kFp16Fml, "fp16fml"},
    {kI8mm, "i8mm"},
    {kBf16, "bf16"},
    {kSve, "sve"},
    {kSve2, "sve2"},
    {kSse42, "sse4.2"},
    {kAvx, "avx"},
    {kAvx2, "avx2"},
    {kFma, "fma"},
    {kF16c, "f16c"},
    {kAvx512f, "avx512f"},
    {kAvx512dq, "avx512dq"},
    {kAvx512bw, "avx512bw"},
    {kAvx512vl, "avx512vl"},
    {kAvx512Vnni, "avx512_vnni"},
    {kAvx512Bf16, "avx512_bf16"},
    {kAvx512Fp16, "avx512_fp16"},
    {kAvxVnni, "avx_vnni"},
    {kAmxTile, "amx_tile"},
    {kAmxInt8, "amx_int8"},
    {kAmxBf16, "amx_bf16"},
    {kAvx512Vbmi, "avx512_vbmi"},
};

#if defined(__aarch64__)

struct HwcapFeature {
  CpuFeatures bit;
  unsigned long vector;  // AT_HWCAP or AT_HWCAP2.
  unsigned long mask;
};

constexpr HwcapFeature kHwcaps[] = {
    {kNeon, AT_HWCAP, HWCAP_ASIMD},      {kFp16, AT_HWCAP, HWCAP_ASIMDHP},
    {kDotprod, AT_HWCAP, HWCAP_ASIMDDP}, {kFp16Fml, AT_HWCAP, HWCAP_ASIMDFHM},
    {kI8mm, AT_HWCAP2, HWCAP2_I8MM},     {kBf16, AT_HWCAP2, HWCAP2_BF16},
    {kSve, AT_HWCAP, HWCAP_SVE},         {kSve2, AT_HWCAP2, HWCAP2_SVE2},
};

CpuFeatures detect() {
  CpuFeatures found = kNoFeature;
  for (const HwcapFeature& feature : kHwcaps) {
    if ((getauxval(feature.vector) & feature.mask) != 0) found |= feature.bit;
  }
  return found;
}

#elif defined(__x86_64__)

enum Register { Eax, Ebx, Ecx, Edx };

// Intel SDM volume 2, CPUID. `state` is what XCR0 must have enabled, so that the operating system
// saves the registers: 2 SSE, 4 AVX, 0xe0 AVX-512, 0x60000 AMX tiles.
struct CpuidFeature {
  CpuFeatures bit;
  unsigned leaf;
  unsigned subleaf;
  Register reg;
  int position;
  uint64_t state;
};

constexpr uint64_t kAvxState = 0x6;
constexpr uint64_t kAvx512State = 0xe6;
constexpr uint64_t kAmxState = 0x60000;

constexpr CpuidFeature kCpuids[] = {
    {kSse42, 1, 0, Ecx, 20, 0},
    {kAvx, 1, 0, Ecx, 28, kAvxState},
    {kAvx2, 7, 0, Ebx, 5, kAvxState},
    {kFma, 1, 0, Ecx, 12, kAvxState},
    {kF16c, 1, 0, Ecx, 29, kAvxState},
    {kAvx512f, 7, 0, Ebx, 16, kAvx512State},
    {kAvx512dq, 7, 0, Ebx, 17, kAvx512State},
    {kAvx512bw, 7, 0, Ebx, 30, kAvx512State},
    {kAvx512vl, 7, 0, Ebx, 31, kAvx512State},
    {kAvx512Vnni, 7, 0, Ecx, 11, kAvx512State},
    {kAvx512Bf16, 7, 1, Eax, 5, kAvx512State},
    {kAvx512Fp16, 7, 0, Edx, 23, kAvx512State},
    {kAvxVnni, 7, 1, Eax, 4, kAvxState},
    {kAmxTile, 7, 0, Edx, 24, kAmxState},
    {kAmxInt8, 7, 0, Edx, 25, kAmxState},
    {kAmxBf16, 7, 0, Edx, 22, kAmxState},
    {kAvx512Vbmi, 7, 0, Ecx, 1, kAvx512State},
};

// The register states the operating system saves; 0 where it does not say (bit 27 is OSXSAVE).
uint64_t enabled_state() {
  unsigned r[4] = {};
  if (__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) == 0 || (r[Ecx] >> 27 & 1) == 0) return 0;
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

// Linux gives a process tiles on request: once they are granted, every thread may use them.
bool tiles_are_granted() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

CpuFeatures detect() {
  const uint64_t enabled = enabled_state();
  CpuFeatures found = kNoFeature;
  for (const CpuidFeature& feature : kCpuids) {
    unsigned r[4] = {};
    if (__get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2], &r[3]) == 0) continue;
    const bool saved = (enabled & feature.state) == feature.state;
    if (saved && (r[feature.reg] >> feature.position & 1) != 0) found |= feature.bit;
  }
  const CpuFeatures amx = kAmxTile | kAmxInt8 | kAmxBf16;
  return (found & amx) != 0 && !tiles_are_granted() ? found & ~amx : found;
}

#else

CpuFeatures detect() {
  return kNoFeature;
}

#endif

}  // namespace

CpuFeatures cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

std::vector<std::string_view> feature_names(CpuFeatures features) {
  std::vector<std::string_view> names;
  for (const NamedFeature& feature : kNames) {
    if ((features & feature.bit) != 0) names.push_back(feature.name);
  }
  return names;
}

}  // namespace hone
