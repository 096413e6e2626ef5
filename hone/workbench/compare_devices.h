// The same model on several devices: what `hone compare` does.
#pragma once

#include "hone/device/device_file.h"
#include "hone/model/load.h"
#include "hone/profile/comparison.h"
#include "hone/targets/target.h"

namespace hone {

struct CompareRequest {
  std::vector<std::string> devices = {};  // Targets, devices of the catalog, device files.
  CompileOptions compile = {};
  CompareTerms terms = {};            // Measured devices run `terms.runs` times, within `seconds`.
  double seconds = 10;                // Of measuring, for each device.
  std::string data = {};              // To judge accuracy on; empty: it is not judged.
  std::string metric = {};            // Empty: what suits the data.
  uint64_t seed = 0;                  // Of inputs.
  const DeviceFile* roofs = nullptr;  // Of this machine: energy where it has no meter.
};

// A device that cannot run the model is in the comparison with its reason; an error when none can,
// or when a name, the data or the metric is wrong. A float model is quantized first for devices
// that compute on integers only, which the device's notes say.
Result<DeviceComparison> compare_devices(const Model& model, const CompareRequest& request);

}  // namespace hone
