// Joules: from meters where the machine has them, else from a model that says so.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/device/device_file.h"
#include "hone/profile/nvml.h"
#include "hone/profile/profile.h"

namespace hone {

// Meters of this machine: processor packages (RAPL), power rails (hwmon, which INA sensors show up
// in), and GPUs (NVML). `root` is where /sys is; tests give a folder of their own.
class EnergyMeters {
 public:
  explicit EnergyMeters(const std::filesystem::path& root = "/");

  bool any() const { return !counters_.empty() || !rails_.empty() || !gpus_.empty(); }
  // Starts over, and ends: joules in between. Rails show power now, which is taken to have held for
  // `seconds`; counters count.
  void start();
  std::vector<Metric> stop(double seconds) const;

 private:
  struct Counter {
    std::string name;
    std::filesystem::path file;  // Microjoules.
    double range = 0;            // Where it wraps around.
    double start = 0;
  };
  struct Rail {
    std::string name;
    std::filesystem::path file;  // Microwatts.
  };
  std::vector<Counter> counters_;
  std::vector<Rail> rails_;
  NvmlEnergy nvml_;
  std::vector<NvmlEnergy::Reading> gpus_;  // At the start.
};

// Of one run, from the device's figures for an operation and a byte and its idle power.
std::optional<Metric> predicted_energy(const DeviceFile& device, const Profile& profile);

}  // namespace hone
