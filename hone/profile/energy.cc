#include "hone/profile/energy.h"

#include <fstream>

#include "hone/base/str.h"
#include "hone/profile/system_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& path, std::string otherwise) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? word : otherwise;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, failed)) paths.push_back(entry.path());
  return paths;
}

double energy_per_byte(const DeviceFile& device, const EnergyFigures& figures, double bytes) {
  const auto level = device.level_for(static_cast<uint64_t>(bytes));
  if (!level) return 0;
  const auto found = figures.pj_per_byte.find(level->name);
  return found == figures.pj_per_byte.end() ? 0 : found->second;
}

}  // namespace

EnergyMeters::EnergyMeters(const fs::path& root) {
  for (const fs::path& domain : entries(root / "sys/class/powercap")) {
    const fs::path file = domain / "energy_uj";
    if (!number_in(file)) continue;
    counters_.push_back({word_in(domain / "name", domain.filename().string()), file,
                         number_in(domain / "max_energy_range_uj").value_or(0), 0});
  }
  for (const fs::path& sensor : entries(root / "sys/class/hwmon")) {
    const fs::path file = sensor / "power1_input";
    if (number_in(file)) rails_.push_back({word_in(sensor / "name", "rail"), file});
  }
  gpus_ = nvml_.read();
}

void EnergyMeters::start() {
  gpus_ = nvml_.read();
  for (Counter& counter : counters_) counter.start = number_in(counter.file).value_or(0);
}

std::vector<Metric> EnergyMeters::stop(double seconds) const {
  std::vector<Metric> metrics;
  for (const Counter& counter : counters_) {
    double microjoules = number_in(counter.file).value_or(counter.start) - counter.start;
    if (microjoules < 0) microjoules += counter.range;
    metrics.push_back({.name = str("energy ", counter.name),
                       .value = 1e-6 * microjoules,
                       .unit = "J",
                       .note = str("over ", seconds, " s; everything on the package")});
  }
  for (const Rail& rail : rails_) {
    metrics.push_back({.name = str("energy ", rail.name),
                       .value = 1e-6 * number_in(rail.file).value_or(0) * seconds,
                       .unit = "J",
                       .note = str("power at the end, over ", seconds, " s")});
  }
  const std::vector<NvmlEnergy::Reading> now = nvml_.read();
  for (size_t i = 0; i < now.size() && i < gpus_.size(); ++i) {
    metrics.push_back({.name = str("energy ", now[i].gpu),
                       .value = 1e-3 * (now[i].millijoules - gpus_[i].millijoules),
                       .unit = "J",
                       .note = str("over ", seconds, " s; the whole GPU")});
  }
  return metrics;
}

std::optional<Metric> predicted_energy(const DeviceFile& device, const Profile& profile) {
  if (!device.energy) return std::nullopt;
  const EnergyFigures& figures = *device.energy;
  double footprint = static_cast<double>(profile.arena_bytes);
  for (const StepProfile& step : profile.steps) footprint += static_cast<double>(step.weight_bytes);
  const double per_weight = energy_per_byte(device, figures, footprint);
  double picojoules = 0;
  for (const StepProfile& step : profile.steps) {
    const auto per_op = figures.pj_per_op.find(std::string(name_of(step.kind.precision)));
    const auto activations = static_cast<double>(step.read_bytes + step.written_bytes);
    if (per_op != figures.pj_per_op.end()) {
      picojoules += per_op->second * static_cast<double>(step.flops);
    }
    picojoules += energy_per_byte(device, figures, activations) * activations;
    picojoules += per_weight * static_cast<double>(step.weight_bytes);
  }
  const double millijoules = picojoules * 1e-9 + figures.idle_watts * median_ms(profile);
  return Metric{.name = "energy",
                .value = millijoules,
                .unit = "mJ",
                .mode = figures.mode,
                .low = millijoules / figures.factor,
                .high = millijoules * figures.factor,
                .note = str("of one run; ", figures.source)};
}

}  // namespace hone
