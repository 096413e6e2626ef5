#pragma once

#include "hone/cli/options.h"

namespace hone {

// `hone calibrate -d DEVICE --points FILE`: a device that is not here, fitted to what was
// measured on it.
struct PointsOptions {
  std::string device;
  std::string points;
  std::string output;  // Empty: where find_device looks for fits.
};

// `hone calibrate -d DEVICE --plan N`: what to measure on it next.
Result<Exit> plan_points_of(const std::string& device, int count, const JsonOutput& json,
                            const CommandContext& context);

Result<Exit> calibrate_points(const PointsOptions& options, const JsonOutput& json,
                              const CommandContext& context);

}  // namespace hone
