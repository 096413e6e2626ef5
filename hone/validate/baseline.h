// An earlier result that a model is compared with: a file of `hone profile --json` or of `hone
// validate --json`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"

namespace hone {

struct Baseline {
  std::string path;
  std::string target;
  std::string device;              // "Neoverse-V1, 2 threads".
  std::vector<double> samples_ms;  // Empty where nothing was timed.
  std::optional<Metric> metric;    // Of a validation.
};

// BadInput when the file is neither, or holds nothing to compare with.
Result<Baseline> read_baseline(const std::filesystem::path& path);

}  // namespace hone
