#include "hone/device/cpu_features.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hone/base/text.h"

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

// `needs`: what kernels that use the feature use, too. It stands before them in the list.
struct NamedFeature {
  CpuFeatures bit;
  std::string_view name;
  CpuFeatures needs;
};

constexpr NamedFeature kNames[] = {
    {kNeon, "neon", kNoFeature},
    {kFp16, "fp16", kNeon},
    {kDotprod, "dotprod", kNeon},
    {kFp16Fml, "fp16fml", kFp16},
    {kI8mm, "i8mm", kDotprod},
    {kBf16, "bf16", kNeon},
    {kSve, "sve", kFp16},
    {kSve2, "sve2", kSve},
    {kSse42, "sse4.2", kNoFeature},
    {kAvx, "avx", kSse42},
    {kAvx2, "avx2", kAvx},
    {kFma, "fma", kAvx},
    {kF16c, "f16c", kAvx},
    {kAvx512f, "avx512f", kAvx2 | kFma | kF16c},
    {kAvx512dq, "avx512dq", kAvx512f},
    {kAvx512bw, "avx512bw", kAvx512f},
    {kAvx512vl, "avx512vl", kAvx512f},
    {kAvx512Vnni, "avx512_vnni", kAvx512f},
    {kAvx512Bf16, "avx512_bf16", kAvx512f},
    {kAvx512Fp16, "avx512_fp16", kAvx512f},
    {kAvxVnni, "avx_vnni", kAvx2},
    {kAmxTile, "amx_tile", kAvx512f},
    {kAmxInt8, "amx_int8", kAmxTile},
    {kAmxBf16, "amx_bf16", kAmxTile},
    {kAvx512Vbmi, "avx512_vbmi", kAvx512f},
};

// Names for several: the feature that all of them need.
struct FeatureFamily {
  std::string_view name;
  CpuFeatures root;
};

constexpr FeatureFamily kFamilies[] = {{"avx512", kAvx512f}, {"amx", kAmxTile}};

constexpr const char* kVariable = "HONE_CPU_FEATURES";

CpuFeatures feature_or_family(std::string_view name) {
  for (const NamedFeature& feature : kNames) {
    if (feature.name == name) return feature.bit;
  }
  for (const FeatureFamily& family : kFamilies) {
    if (family.name == name) return family.root;
  }
  return kNoFeature;
}

std::vector<std::string> all_feature_words() {
  std::vector<std::string> words;
  for (const NamedFeature& feature : kNames) words.emplace_back(feature.name);
  for (const FeatureFamily& family : kFamilies) words.emplace_back(family.name);
  return words;
}

Result<CpuFeatures> feature_taken_by(std::string_view word) {
  if (!word.starts_with('-')) {
    return bad_input(kVariable, ": '", word, "' takes nothing away; write -NAME,-NAME");
  }
  const std::string_view name = word.substr(1);
  const CpuFeatures feature = feature_or_family(name);
  if (feature == kNoFeature) {
    const std::vector<std::string> words = all_feature_words();
    return bad_input(kVariable, ": no feature '", name, "'", did_you_mean(name, words),
                     "; there are: ", join(words, ", "));
  }
  return feature;
}

CpuFeatures with_dependents(CpuFeatures taken) {
  for (const NamedFeature& feature : kNames) {
    if ((feature.needs & taken) != 0) taken |= feature.bit;
  }
  return taken;
}

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
  static const CpuFeatures features = [] {
    const Result<CpuFeatures> taken = taken_cpu_features();
    // Commands refuse it before they come here; a test or a benchmark has nobody to tell.
    if (!taken.ok()) {
      std::fprintf(stderr, "%s\n", taken.error().message.c_str());
      std::exit(EXIT_FAILURE);
    }
    return detected_cpu_features() & ~*taken;
  }();
  return features;
}

CpuFeatures detected_cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

Result<CpuFeatures> taken_cpu_features() {
  const char* text = std::getenv(kVariable);
  return features_taken_by(text == nullptr ? "" : text);
}

Result<CpuFeatures> features_taken_by(std::string_view text) {
  CpuFeatures taken = kNoFeature;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    HONE_TRY(const CpuFeatures feature, feature_taken_by(text.substr(0, comma)));
    taken |= feature;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return with_dependents(taken);
}

std::vector<std::string_view> feature_names(CpuFeatures features) {
  std::vector<std::string_view> names;
  for (const NamedFeature& feature : kNames) {
    if ((features & feature.bit) != 0) names.push_back(feature.name);
  }
  return names;
}

}  // namespace hone
