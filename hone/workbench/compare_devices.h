// The same model on several devices: what `hone compare` does.
#pragma once

#include <map>

#include "hone/device/device_file.h"
#include "hone/model/load.h"
#include "hone/profile/comparison.h"
#include "hone/targets/target.h"

namespace hone {

// "NAME" or "NAME:int8": a target, a device of the catalog or a device file, and the precision that
// is asked of it.
struct AskedDevice {
  std::string name = {};
  std::string precision = {};  // One of kComparePrecisions; empty: none is asked.
};
inline constexpr std::string_view kComparePrecisions[] = {"int8", "fp16", "bf16", "tf32", "fp32"};
// BadInput where a target is followed by a precision that there is not.
Result<AskedDevice> asked_device(const std::string& text);

struct CompareRequest {
  std::vector<std::string> devices = {};  // As asked_device reads them.
  std::string precision = {};             // Of devices that none is asked of; empty: see below.
  CompileOptions compile = {};
  CompareTerms terms = {};  // Measured devices run `terms.runs` times, within `seconds`.
  double seconds = 10;      // Of measuring, for each device.
  std::string data = {};    // To judge accuracy on; empty: it is not judged.
  std::string metric = {};  // Empty: what suits the data.
  std::optional<double> accuracy = {};  // Of the model, in %, given: then it is not judged.
  uint64_t seed = 0;                    // Of inputs.
  std::map<std::string, double> usd_per_hour = {};  // Of devices as they are asked for, given.
  const DeviceFile* roofs = nullptr;  // Of this machine: energy where it has no meter.
  bool tells = true;                  // On standard error: how long it takes, and what is left out.
};

// Extents that the model leaves open are those of the data's samples; without data they are
// BadInput. A device that cannot run the model is in the comparison with its reason; an error when
// none can, or when a name, the data or the metric is wrong. Unless a precision is asked, models
// are taken as they are, but a float model is quantized first for devices that compute on integers
// only, which the device's notes say.
Result<DeviceComparison> compare_devices(const Model& model, const CompareRequest& request);

// The same, but no error when no device can run the model: then `failure` is that of the first.
struct TriedDevices {
  DeviceComparison comparison = {};
  std::optional<Error> failure = {};
};
Result<TriedDevices> try_devices(const Model& model, const CompareRequest& request);

}  // namespace hone
