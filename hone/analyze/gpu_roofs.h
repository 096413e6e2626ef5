// What a GPU does at most, by its generation and by what its driver tells: the one place where rules
// about GPUs take it from.
#pragma once

#include <optional>

#include "hone/profile/profile.h"

namespace hone {

struct GpuRoofs {
  // Multiply-adds in a microsecond: in fp32, and on its tensor cores in 16 bits.
  double fp32_macs = 0;
  double half_macs = 0;
  bool bf16 = false;  // Tensor cores take it.
  bool tf32 = false;  // They do, at half of `half_macs`, which is more than `fp32_macs`.
  // Bytes in a microsecond; 0: not known.
  double memory_bytes = 0;
  double cache_bytes = 0;
  double cache_holds = 0;  // Bytes.

  double half_ratio() const { return half_macs / fp32_macs; }
  double macs(Arithmetic precision) const;
  // Part of what its cores could do in the time; 1 where the shapes or the GPU's size are not known.
  double reached(const GpuTimeline& gpu, const StepProfile& step) const;
};

// Nothing for GPUs without tensor cores, or of generations that are not known. Where the size of the
// GPU is not told, only ratios hold.
std::optional<GpuRoofs> gpu_roofs(const GpuTimeline& gpu);

// What a product in fp32 or tf32 would take in 16 bits, by what it reaches now; others take what they do.
double gpu_us_in_half(const GpuRoofs& roofs, const GpuTimeline& gpu, const StepProfile& step);
// No product takes less there, whatever its operations: loads, sums and stores one behind the other.
// Half of those of a ResNet-50 on one image take less on an H200, in half precision.
inline constexpr double kShortProductUs = 3.5;

// Where a step's bytes come from: activations from the cache where it holds them, weights where it
// holds the whole network.
struct GpuTraffic {
  double us = 0;        // At the rates of the roofs; 0: not known.
  bool memory = false;  // Most of it is the memory's.
};
GpuTraffic gpu_traffic(const GpuRoofs& roofs, const Profile& profile, const StepProfile& step);

}  // namespace hone
