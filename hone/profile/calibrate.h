#pragma once

#include <cstddef>

#include "hone/base/result.h"
#include "hone/device/device_file.h"
#include "hone/targets/target.h"

namespace hone {

using CalibrationProgress = RoofProgress;

// Measures the roofs of the machine it runs on: what each instruction can do, how fast each level
// of memory streams, on one core and on `threads` of them (0: all), and what it costs to give work
// to the threads. Each figure is the best of bursts within `seconds`, of all threads twice that, so
// that other work on the machine disturbs it little; all of them take 2 to 6 s. Energy is not
// measured but predicted from published figures. BadInput when `threads` is negative, Resource when
// there is too little memory.
Result<DeviceFile> calibrate_host(int threads, const CalibrationProgress& progress = {},
                                  double seconds = 0.1);

}  // namespace hone
