#include "hone/profile/host_device.h"

#include <cstdlib>

#include "hone/base/parallel.h"
#include "hone/device/machine.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kAdvice = "; run `hone calibrate`";

// The variable as a folder; empty unless it holds an absolute path, as the XDG rules have it.
fs::path folder_in(const char* variable) {
  const char* text = std::getenv(variable);
  const fs::path path = text == nullptr ? "" : text;
  return path.is_absolute() ? path : fs::path();
}

}  // namespace

Result<fs::path> host_device_path() {
  fs::path cache = folder_in("XDG_CACHE_HOME");
  if (cache.empty() && !folder_in("HOME").empty()) cache = folder_in("HOME") / ".cache";
  if (cache.empty()) {
    return out_of_resource("neither XDG_CACHE_HOME nor HOME names a folder to keep roofs in");
  }
  return cache / "hone/device/host.toml";
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
