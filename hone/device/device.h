// A device of the catalog, or of a user's file: `-d NAME` or `-d FILE.toml`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/analytic_spec.h"
#include "hone/device/npu_spec.h"

namespace hone {

struct DeviceSource {
  std::string figure = {};  // What it is the source of: "clock", "sram.bytes".
  std::string text = {};    // One sentence.
};

// How well a device's model was found to agree with measurements.
struct CalibrationFit {
  int points = 0;
  // The truth is expected between figure / (1 + error) and figure * (1 + error).
  double error = 0;
  // Networks that the points cover, from least to most.
  double least_macs = 0, most_macs = 0;
  double least_bytes = 0, most_bytes = 0;
  std::string date = {};
};

struct Device {
  std::string name = {};     // "ethos-u55-128": lower case, as -d takes it.
  std::string summary = {};  // One line.
  std::string kind = {};     // "npu", "cpu", "gpu", "mcu", ...
  std::optional<double> price_usd = {};
  std::vector<DeviceSource> sources = {};
  std::variant<NpuSpec, AnalyticSpec> spec = {};
  std::optional<CalibrationFit> fit = {};

  const NpuSpec* npu() const { return std::get_if<NpuSpec>(&spec); }
  const AnalyticSpec* analytic() const { return std::get_if<AnalyticSpec>(&spec); }
};

// `file` is what messages call the text. BadInput names file, line and key, and what it should
// hold; so it does for keys that are not known.
Result<Device> parse_device(std::string_view text, const std::string& file);
Result<Device> read_device(const std::filesystem::path& path);

// As parse_device reads it back.
std::string device_text(const Device& device);

// Those that come with Hone, by name.
const std::vector<Device>& device_catalog();
// One of the catalog, or what `hone calibrate --points` has made of it for this user. BadInput when
// there is none of that name.
Result<const Device*> find_device(std::string_view name);

}  // namespace hone
