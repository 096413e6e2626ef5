#include "hone/workbench/host_roofs.h"

#include <filesystem>
#include <memory>

#include "hone/base/progress.h"
#include "hone/base/str.h"
#include "hone/profile/host_device.h"
#include "hone/profile/target_device.h"
#include "hone/workbench/kernel_reach.h"
#include "hone/workbench/profile_model.h"

namespace hone {

Result<DeviceFile> calibrate_machine(int threads, const CalibrationProgress& progress,
                                     const CalibrationEffort& effort) {
  HONE_TRY(DeviceFile device, calibrate_host(threads, progress, effort));
  HONE_TRY(device.kernels, measure_kernels(device));
  return device;
}

Result<DeviceFile> host_roofs() {
  if (Result<DeviceFile> cached = load_host_device(); cached.ok()) return cached;
  if (const std::string why = why_host_device_unused(); !why.empty()) {
    say_on_stderr(str(why, ": not used, measuring again"));
  }
  std::unique_ptr<Progress> bar;
  const auto progress = [&](size_t, size_t total) {
    if (bar == nullptr) bar = std::make_unique<Progress>("calibrate", total);
    bar->step();
  };
  HONE_TRY(DeviceFile device, calibrate_machine(0, progress, kFirstCalibration));
  // A machine without a place to keep it measures again the next time.
  if (const Result<std::filesystem::path> path = host_device_path(); path.ok()) {
    if (!write_device_file(device, *path).ok()) return device;
  }
  return device;
}

Result<DeviceFile> calibrate_target(const TargetDef& target, const CalibrationProgress& progress) {
  HONE_RETURN_IF_ERROR(target_device_path(target));
  HONE_TRY(DeviceFile device, target.measure_roofs(progress));
  device.date = utc_now().substr(0, 10);
  return device;
}

std::optional<DeviceFile> kept_roofs(const TargetDef& target) {
  const Result<std::filesystem::path> path = target_device_path(target);
  std::error_code ignored;
  if (!path.ok() || !std::filesystem::exists(*path, ignored)) return std::nullopt;
  Result<DeviceFile> device = load_target_device(target);
  if (!device.ok()) {
    say_on_stderr(str(device.error().message, ": not used"));
    return std::nullopt;
  }
  return *std::move(device);
}

}  // namespace hone
