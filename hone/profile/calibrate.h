#pragma once

#include <cstddef>

#include "hone/base/result.h"
#include "hone/device/device_file.h"
#include "hone/targets/target.h"

namespace hone {

using CalibrationProgress = RoofProgress;

struct CalibrationEffort {
  double seconds = 0.1;          // For a figure of one thread; twice that for one of all threads.
  bool all_instructions = true;  // Or of each precision the best alone, by which time is priced.
};

// Of the first command that needs roofs: whoever gave it waits for something else.
inline constexpr CalibrationEffort kFirstCalibration = {.seconds = 0.04, .all_instructions = false};

// Measures the roofs of the machine it runs on: what each instruction can do, how fast each level
// of memory streams, on one core and on `threads` of them (0: all), and what it costs to give work
// to the threads. Each figure is the best of many bursts, so that other work on the machine disturbs
// it little; all of them take 2 to 7 s, or 1 to 3 at first. Energy is not measured but predicted from
// published figures. BadInput when `threads` is negative, Resource when there is too little memory.
Result<DeviceFile> calibrate_host(int threads, const CalibrationProgress& progress = {},
                                  const CalibrationEffort& effort = {});

}  // namespace hone
