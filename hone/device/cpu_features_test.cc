#include "hone/device/cpu_features.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace hone {
namespace {

// The words of the "flags" or "Features" line that the kernel shows for the first CPU.
std::set<std::string> kernel_flags() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

const std::map<std::string, CpuFeatures> kKernelNames = {
    {"asimd", kNeon},
    {"asimdhp", kFp16},
    {"asimddp", kDotprod},
    {"asimdfhm", kFp16Fml},
    {"i8mm", kI8mm},
    {"bf16", kBf16},
    {"sve", kSve},
    {"sve2", kSve2},
    {"sse4_2", kSse42},
    {"avx", kAvx},
    {"avx2", kAvx2},
    {"fma", kFma},
    {"f16c", kF16c},
    {"avx512f", kAvx512f},
    {"avx512dq", kAvx512dq},
    {"avx512bw", kAvx512bw},
    {"avx512vl", kAvx512vl},
    {"avx512_vnni", kAvx512Vnni},
    {"avx512_bf16", kAvx512Bf16},
    {"avx512_fp16", kAvx512Fp16},
    {"avx_vnni", kAvxVnni},
    {"amx_tile", kAmxTile},
    {"amx_int8", kAmxInt8},
    {"amx_bf16", kAmxBf16},
    {"avx512vbmi", kAvx512Vbmi},
};

// One way only: an older kernel has no name for the newest features.
TEST(CpuFeatures, HasWhatTheKernelLists) {
  const std::set<std::string> flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no features";
  for (const auto& [name, feature] : kKernelNames) {
    if (flags.contains(name)) {
      EXPECT_NE(detected_cpu_features() & feature, kNoFeature) << name;
    }
  }
}

TEST(CpuFeatures, HasNothingThatAnyKernelWouldListButThisDoesNot) {
  const std::set<std::string> flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no features";
  for (const char* name : {"asimd", "asimdhp", "asimddp", "sve", "sse4_2", "avx2", "fma", "f16c",
                           "avx512f", "avx512bw", "avx512_vnni"}) {
    if (!flags.contains(name)) {
      EXPECT_EQ(detected_cpu_features() & kKernelNames.at(name), kNoFeature) << name;
    }
  }
}

TEST(CpuFeatures, BaselineOfTheArchitectureIsThere) {
#if defined(__aarch64__)
  EXPECT_NE(detected_cpu_features() & kNeon, kNoFeature);
  EXPECT_FALSE(cpu_has(kAvx2));
#elif defined(__x86_64__)
  EXPECT_FALSE(cpu_has(kNeon));
#endif
  EXPECT_TRUE(cpu_has(kNoFeature));
}

TEST(CpuFeatures, EveryBitHasOneName) {
  for (const auto& [name, feature] : kKernelNames) {
    EXPECT_TRUE(std::has_single_bit(feature)) << name;
    EXPECT_EQ(feature_names(feature).size(), 1u) << name;
  }
  EXPECT_EQ(feature_names(kDotprod | kI8mm), (std::vector<std::string_view>{"dotprod", "i8mm"}));
}

constexpr CpuFeatures kAllAmx = kAmxTile | kAmxInt8 | kAmxBf16;
constexpr CpuFeatures kAllAvx512 = kAvx512f | kAvx512dq | kAvx512bw | kAvx512vl | kAvx512Vnni |
                                   kAvx512Bf16 | kAvx512Fp16 | kAvx512Vbmi;

TEST(TakenFeatures, GoWithAllThatNeedsThem) {
  const auto taken = [](std::string_view text) { return *features_taken_by(text); };
  EXPECT_EQ(taken(""), kNoFeature);
  EXPECT_EQ(taken("-amx_int8"), kAmxInt8);
  EXPECT_EQ(taken("-amx_tile"), kAllAmx);
  EXPECT_EQ(taken("-amx"), kAllAmx);
  EXPECT_EQ(taken("-avx512_vnni,-amx_bf16"), kAvx512Vnni | kAmxBf16);
  EXPECT_EQ(taken("-avx512"), kAllAvx512 | kAllAmx);
  EXPECT_EQ(taken("-avx2"), kAvx2 | kAvxVnni | kAllAvx512 | kAllAmx);
  EXPECT_EQ(taken("-dotprod"), kDotprod | kI8mm);
  EXPECT_EQ(taken("-fp16,-sve2"), kFp16 | kFp16Fml | kSve | kSve2);
}

TEST(TakenFeatures, AreNamedWhenTheyAreUnknown) {
  const auto message = [](std::string_view text) {
    return features_taken_by(text).error().message;
  };
  EXPECT_TRUE(message("-amx_int8,-avx521")
                  .starts_with("HONE_CPU_FEATURES: no feature 'avx521' (did you mean 'avx512'?); "
                               "there are: neon, fp16, "))
      << message("-amx_int8,-avx521");
  EXPECT_EQ(message("avx2"), "HONE_CPU_FEATURES: 'avx2' takes nothing away; write -NAME,-NAME");
}

}  // namespace
}  // namespace hone
