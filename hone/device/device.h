// A device of the catalog, or of a user's file: `-d NAME` or `-d FILE.toml`.
#pragma once

#include <any>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/device/analytic_spec.h"
#include "hone/device/npu_spec.h"
#include "hone/device/system_power.h"

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

// Published times of real devices that a model's were held against.
struct CheckedTimes {
  int rows = 0;
  // Nine of ten are expected between figure / factor and figure * factor.
  double factor = 1;
  std::string of = {};  // Whose times they are: "edge-tpu-usb".
};

struct Device {
  std::string name = {};     // "ethos-u55-128": lower case, as -d takes it.
  std::string summary = {};  // One line.
  std::string kind = {};     // "npu", "cpu", ...: of targets/device_kinds.inc.
  std::optional<double> price_usd = {};
  std::optional<double> usd_per_hour = {};  // To rent, with its part of a server.
  std::vector<DeviceSource> sources = {};
  std::any spec = {};                      // What its kind holds: an NpuSpec, an AnalyticSpec, ...
  std::optional<SystemPower> system = {};  // Of the machine around it, where that is known.
  std::optional<CheckedTimes> checked = {};  // None: of no device that there is.
  std::optional<CalibrationFit> fit = {};
  std::string path = {};  // Of the file it was read from; empty: it came with Hone.

  // Of the last source that names the figure; empty: none does.
  std::string source_of(std::string_view figure) const;

  // Null where it holds another.
  const NpuSpec* npu() const { return std::any_cast<NpuSpec>(&spec); }
  NpuSpec* npu() { return std::any_cast<NpuSpec>(&spec); }
  const AnalyticSpec* analytic() const { return std::any_cast<AnalyticSpec>(&spec); }
  AnalyticSpec* analytic() { return std::any_cast<AnalyticSpec>(&spec); }
};

// "fitted to 5 points of yours on 2026-11-17 (PATH)"; empty where nothing was fitted.
std::string fit_text(const Device& device);

}  // namespace hone
