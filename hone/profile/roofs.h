// What a machine allows at most, laid beside what was measured.
#pragma once

#include "hone/device/device_file.h"
#include "hone/profile/profile.h"

namespace hone {

// The least time for some work on a machine: of its arithmetic and its memory traffic, the longer.
struct RoofTime {
  double us = 0;
  double compute_us = 0;
  double memory_us = 0;
  // "compute", the name of the memory level that most of the time goes to, or "launch" where an
  // accelerator takes longer to begin a kernel.
  std::string bound;
};

// What moves, and how much memory it goes round in.
struct RoofWork {
  std::string precision = "fp32";
  double flops = 0;
  double activation_bytes = 0;
  double weight_bytes = 0;
  // Activations were just written by the step before: they are in the level that holds them.
  // Weights come round once a run: they are in the level that holds everything the network touches.
  double footprint_bytes = 0;
};

RoofTime roof_time(const DeviceFile& device, int threads, const RoofWork& work);

// The device's rate for a team of `threads`.
double rate_for(const Rate& rate, int threads, int all_threads);

// Fills in roof_us and bound of every step, and the roofs that were used.
void apply_roofs(const DeviceFile& device, Profile& profile);

}  // namespace hone
