// What a GPU does at most, by its generation and by what its driver tells: the one place where rules
// about GPUs take it from.
#pragma once

#include <optional>

#include "hone/profile/profile.h"

namespace hone {

struct GpuRoofs {
  // Multiply-adds in a microsecond: in fp32, on its tensor cores in 16 bits, and on them in int8.
  double fp32_macs = 0;
  double half_macs = 0;
  double int8_macs = 0;
  bool tf32 = false;  // Tensor cores take it, at half of `half_macs`.
  // Bytes in a microsecond; 0: not known.
  double memory_bytes = 0;
  double cache_bytes = 0;
  double cache_holds = 0;  // Bytes.

  double half_ratio() const { return half_macs / fp32_macs; }
  double macs(Arithmetic precision) const;
};

// Nothing for GPUs without tensor cores, of generations that are not known, or of no known size:
// ratios hold where only the size is not told.
std::optional<GpuRoofs> gpu_roofs(const GpuTimeline& gpu);

// Where a step's bytes come from: activations from the cache where it holds them, weights where it
// holds the whole network.
struct GpuTraffic {
  double us = 0;        // At the rates of the roofs; 0: not known.
  bool memory = false;  // Most of it is the memory's.
};
GpuTraffic gpu_traffic(const GpuRoofs& roofs, const Profile& profile, const StepProfile& step);

}  // namespace hone
