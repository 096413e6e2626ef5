// What was measured on a device: a CSV file with the columns model, latency_ms and, where they are
// known, energy_mj, precision and batch.
#pragma once

#include <filesystem>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"

namespace hone {

// Models are built-in networks, "zoo:NAME", or files named from the folder of the CSV file. A
// latency is that of one run of the whole batch.
// BadInput names file, line and column.
Result<std::vector<FitPoint>> read_fit_points(const std::filesystem::path& path);

}  // namespace hone
