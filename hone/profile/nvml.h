// Energy counters and clocks of NVIDIA GPUs, through the driver's own library where there is one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone {

class NvmlEnergy {
 public:
  NvmlEnergy();
  ~NvmlEnergy();
  NvmlEnergy(const NvmlEnergy&) = delete;
  NvmlEnergy& operator=(const NvmlEnergy&) = delete;

  struct Reading {
    std::string gpu;         // "NVIDIA H200".
    double millijoules = 0;  // Since the driver was loaded.
  };
  // One per GPU that counts its energy; empty without a driver.
  std::vector<Reading> read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

struct GpuClock {
  double mhz = 0;                           // Of the multiprocessors, now,
  double most_mhz = 0;                      // and at most.
  std::vector<std::string> slowed_by = {};  // As GpuTimeline::slowed_by.
};

// Of the GPU at `bus`, as it works just now; nothing without NVML.
std::optional<GpuClock> read_gpu_clock(const std::string& bus);

// NVML's reasons for a clock, one bit each, in words. That nothing runs is no reason.
std::vector<std::string> clock_reasons(uint64_t bits);

}  // namespace hone
