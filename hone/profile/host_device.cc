#include "hone/profile/host_device.h"

#include "hone/base/parallel.h"
#include "hone/device/device_folder.h"
#include "hone/device/machine.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kAdvice = "; run `hone calibrate`";

}  // namespace

Result<fs::path> host_device_path() {
  HONE_TRY(const fs::path folder, cache_folder());
  return folder / "device/host.toml";
}

Result<DeviceFile> load_host_device() {
  HONE_TRY(const fs::path path, host_device_path());
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return out_of_resource("the roofs of this machine are not known", kAdvice);
  }
  Result<DeviceFile> device = read_device_file(path);
  if (!device.ok()) {
    return out_of_resource(device.error().message, kAdvice);
  }
  const std::string name = cpu_info().name;
  if (device->name != name) {
    return out_of_resource(path.string(), " is of '", device->name, "', this machine is '", name,
                           "'", kAdvice);
  }
  if (device->threads != hardware_threads()) {
    return out_of_resource(path.string(), " is of ", device->threads, " threads, this machine has ",
                           hardware_threads(), kAdvice);
  }
  return device;
}

}  // namespace hone
