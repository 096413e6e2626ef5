#include "hone/profile/host_device.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/device/device_folder.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

std::string features_text(const std::string& without) {
  return without.empty() ? "with all features of the CPU" : str("without ", without);
}

// Of what the file is, where that is not this process.
std::string difference(const DeviceFile& device, const CpuShare& share, CpuFeatures taken) {
  const std::string name = cpu_info().name;
  if (device.name != name) return str("is of '", device.name, "', this machine is '", name, "'");
  if (const std::string without = join(feature_names(taken), " "); device.without != without) {
    return str("was measured ", features_text(device.without), ", this process runs ",
               features_text(without));
  }
  if (device.threads != share.threads()) {
    return str("is of ", device.threads, device.threads == 1 ? " thread" : " threads",
               ", this process may run ", share.threads());
  }
  if (device.cpus.empty()) return "does not say of which CPUs it is";
  if (device.cpus != share.list()) {
    return str("is of CPUs ", device.cpus, ", this process may use ", share.list());
  }
  const bool streams =
      device.memory.size() < 2 ||
      std::ranges::find(device.kernels, "streaming", &KernelReach::kind) != device.kernels.end();
  if (device.kernels.empty() || !streams) return "does not say what kernels reach of the roofs";
  return "";
}

}  // namespace

Result<fs::path> host_device_path(const CpuShare& share, CpuFeatures taken) {
  HONE_TRY(const fs::path folder, cache_folder());
  const std::string threads = share.whole() ? "" : str("_", share.threads());
  const std::string without =
      taken == kNoFeature ? "" : str("_without_", join(feature_names(taken), "+"));
  return folder / str("device/host", threads, without, ".toml");
}

Result<DeviceFile> load_host_device(const CpuShare& share, CpuFeatures taken) {
  HONE_TRY(const fs::path path, host_device_path(share, taken));
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return out_of_resource("the roofs of this machine are not known");
  }
  Result<DeviceFile> device = read_device_file(path);
  if (!device.ok()) return out_of_resource(device.error().message);
  if (const std::string why = difference(*device, share, taken); !why.empty()) {
    return out_of_resource(path.string(), " ", why);
  }
  return device;
}

std::string why_host_device_unused(const CpuShare& share, CpuFeatures taken) {
  if (load_host_device(share, taken).ok()) return "";
  CpuShare whole = share;  // Its file is that of the machine.
  whole.machine = 1;
  const std::pair<CpuShare, CpuFeatures> kept[] = {
      {share, taken}, {whole, taken}, {share, kNoFeature}, {whole, kNoFeature}};
  for (const auto& [of_share, without] : kept) {
    const Result<fs::path> path = host_device_path(of_share, without);
    if (!path.ok()) continue;
    std::error_code ignored;
    if (!fs::exists(*path, ignored)) continue;
    const Result<DeviceFile> device = read_device_file(*path);
    return device.ok() ? str(path->string(), " ", difference(*device, share, taken))
                       : device.error().message;
  }
  return "";
}

}  // namespace hone
