// Options of the commands that measure a model: profile, diagnose, optimize.
#pragma once

#include "hone/cli/options.h"
#include "hone/workbench/profile_model.h"

namespace hone {

struct MeasureOptions {
  ModelOptions model;
  TargetOptions target;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  ProfileOptions measure;
  uint64_t runs = 0;  // If given, in place of measure.stop.
  std::string counters = "hardware";
  bool no_roofs = false;

  void declare(Flags& flags);
};

// A model that was opened and everything that is needed to measure it.
struct Measurement {
  Model model;
  ProfileRequest request;
  std::optional<DeviceFile> roofs;  // request.roofs points here.
};
Result<std::unique_ptr<Measurement>> prepare(const MeasureOptions& options);

}  // namespace hone
