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

}  // namespace hone
