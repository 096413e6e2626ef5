#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// What of the machine's CPUs a process may use.
struct CpuShare {
  int machine = 1;  // CPUs that are online.
  std::vector<int> cpus =
      {};  // Those it may run on, ascending; empty when the system does not tell.
  // CPUs' worth of time that its control groups leave it.
  double quota = std::numeric_limits<double>::infinity();

  int threads() const;  // To run at once: at least 1.
  bool whole() const { return threads() >= machine; }
  std::string list() const;  // "0-3,8", as the kernel writes it.
};

// Of the calling thread, now. `root` is where /proc and /sys are looked up.
CpuShare read_cpu_share(const std::filesystem::path& root = "/");

// Of the process as it began: read once, so that threads placed on CPUs later do not narrow it.
const CpuShare& cpu_share();

// CPUs from "QUOTA PERIOD" of cpu.max, both in microseconds; infinite for "max", for a quota of -1
// and for what is no quota.
double parse_cpu_quota(std::string_view text);

}  // namespace hone
