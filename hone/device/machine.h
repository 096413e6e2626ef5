#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hone/device/cpu_features.h"

namespace hone {

struct CpuCache {
  int level = 0;
  std::string type = {};  // "Data", "Instruction" or "Unified".
  uint64_t bytes = 0;
  int line_bytes = 0;
  int ways = 0;                // 0 when not readable.
  std::string shared_by = {};  // CPUs that share it, as the kernel writes them: "0-3,8".
};

struct CpuInfo {
  std::string name = {};          // "Neoverse-V1", "Intel(R) Xeon(R) ..."; "unknown CPU" at worst.
  std::string architecture = {};  // "aarch64", "x86_64".
  int cores = 0;                  // Physical, in the whole machine.
  int cpus = 0;                   // Hardware threads that are online.
  int threads = 0;                // Those of them that this process may use.
  CpuFeatures features = kNoFeature;
  CpuFeatures taken = kNoFeature;     // It has these, but HONE_CPU_FEATURES takes them away.
  bool takes_nothing = false;         // The variable names only what it does not have.
  std::vector<CpuCache> caches = {};  // Of CPU 0, nearest first; empty when not readable.
};

struct MemoryInfo {
  uint64_t total_bytes = 0;      // Of the machine or, if smaller, of the container.
  uint64_t available_bytes = 0;  // Can be used without swapping; 0 when not readable.
  bool limited = false;          // A control group holds the process below the machine's memory.
};

// `root` is where /proc and /sys are looked up; tests give a folder of their own.
CpuInfo cpu_info(const std::filesystem::path& root = "/");
MemoryInfo memory_info(const std::filesystem::path& root = "/");

// What a core may count on in its second-level cache, read once: at most 2 MiB, since larger ones
// are shared; 1 MiB when not readable.
size_t second_level_cache_bytes();

}  // namespace hone
