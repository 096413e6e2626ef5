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
      EXPECT_TRUE(cpu_has(feature)) << name;
    }
  }
}

TEST(CpuFeatures, HasNothingThatAnyKernelWouldListButThisDoesNot) {
  const std::set<std::string> flags = kernel_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no features";
  for (const char* name : {"asimd", "asimdhp", "asimddp", "sve", "sse4_2", "avx2", "fma", "f16c",
                           "avx512f", "avx512bw", "avx512_vnni"}) {
    if (!flags.contains(name)) {
      EXPECT_FALSE(cpu_has(kKernelNames.at(name))) << name;
    }
  }
}

TEST(CpuFeatures, BaselineOfTheArchitectureIsThere) {
#if defined(__aarch64__)
  EXPECT_TRUE(cpu_has(kNeon));
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

}  // namespace
}  // namespace hone
