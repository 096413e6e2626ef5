// What was measured on a device: a CSV file with the columns model, latency_ms and, where there is
// a meter, energy_mj.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct FitPoint {
  std::string model = {};  // As open_model takes it.
  double latency_ms = 0;
  std::optional<double> energy_mj = {};  // Of one run.
};

// Models are built-in networks, "zoo:NAME", or files named from the folder of the CSV file.
// BadInput names file, line and column.
Result<std::vector<FitPoint>> read_fit_points(const std::filesystem::path& path);

}  // namespace hone
