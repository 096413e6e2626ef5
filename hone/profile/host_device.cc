#include "hone/profile/host_device.h"

#include "hone/base/str.h"
#include "hone/device/device_folder.h"
#include "hone/device/machine.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// Of what the file is, where that is not this process.
std::string difference(const DeviceFile& device, const CpuShare& share) {
  const std::string name = cpu_info().name;
  if (device.name != name) return str("is of '", device.name, "', this machine is '", name, "'");
  if (device.threads != share.threads()) {
    return str("is of ", device.threads, device.threads == 1 ? " thread" : " threads",
               ", this process may run ", share.threads());
  }
  if (device.cpus.empty()) return "does not say of which CPUs it is";
  if (device.cpus != share.list()) {
    return str("is of CPUs ", device.cpus, ", this process may use ", share.list());
  }
  if (device.kernels.empty()) return "does not say what kernels reach of the roofs";
  return "";
}

}  // namespace

Result<fs::path> host_device_path(const CpuShare& share) {
  HONE_TRY(const fs::path folder, cache_folder());
  if (share.whole()) return folder / "device/host.toml";
  return folder / str("device/host_", share.threads(), ".toml");
}

Result<DeviceFile> load_host_device(const CpuShare& share) {
  HONE_TRY(const fs::path path, host_device_path(share));
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return out_of_resource("the roofs of this machine are not known");
  }
  Result<DeviceFile> device = read_device_file(path);
  if (!device.ok()) return out_of_resource(device.error().message);
  if (const std::string why = difference(*device, share); !why.empty()) {
    return out_of_resource(path.string(), " ", why);
  }
  return device;
}

std::string why_host_device_unused(const CpuShare& share) {
  if (load_host_device(share).ok()) return "";
  CpuShare whole = share;  // Its file is that of the machine.
  whole.machine = 1;
  for (const CpuShare& kept : {share, whole}) {
    const Result<fs::path> path = host_device_path(kept);
    if (!path.ok()) continue;
    std::error_code ignored;
    if (!fs::exists(*path, ignored)) continue;
    const Result<DeviceFile> device = read_device_file(*path);
    return device.ok() ? str(path->string(), " ", difference(*device, share))
                       : device.error().message;
  }
  return "";
}

}  // namespace hone
