// What was measured on a device: a CSV file with the columns model, latency_ms and, where they are
// known, energy_mj, precision and batch; or what one of the field's tools has printed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"

namespace hone {

struct FitPoints {
  std::vector<FitPoint> points = {};
  std::vector<std::string> notes = {};  // Which figure was taken, and what was left out.
};

// What a file is, it is known by what it says. Models are built-in networks, "zoo:NAME", or files
// named from the folder of the file. A latency is that of one run of the whole batch. BadInput
// names file, line and column.
Result<FitPoints> read_fit_points(const std::filesystem::path& path);

// What was measured otherwise than the device's file has it, one sentence each: with another number
// of threads. BadInput, which names the point, for times of a GPU where the device is a CPU.
Result<std::vector<std::string>> measured_otherwise(const std::vector<FitPoint>& points,
                                                    const Device& device);

}  // namespace hone
