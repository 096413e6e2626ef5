#include <algorithm>
#include <map>
#include <mutex>

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/device/catalog_file.h"
#include "hone/device/device.h"
#include "hone/device/device_folder.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

std::vector<Device> parse_catalog() {
  std::vector<Device> devices;
  for (const CatalogFile& file : catalog_files()) {
    Result<Device> device = parse_device(file.text, std::string(file.name));
    HONE_CHECK(device.ok(), device.error().message);
    HONE_CHECK(str(device->name, ".toml") == file.name, file.name, " names ", device->name);
    devices.push_back(*std::move(device));
  }
  std::ranges::sort(devices, {}, &Device::name);
  return devices;
}

// Kept by what it says, so that one that was fitted anew is seen and pointers to the old one stay
// good.
Result<const Device*> read_fit(const fs::path& path, std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Device> read;
  HONE_TRY(Device device, read_device(path));
  if (device.name != name) {
    return bad_input(path.string(), ": name: expected ", name, ", found ", device.name);
  }
  const std::lock_guard lock(mutex);
  std::string text = device_text(device);
  return &read.try_emplace(std::move(text), std::move(device)).first->second;
}

}  // namespace

const std::vector<Device>& device_catalog() {
  static const std::vector<Device> kDevices = parse_catalog();
  return kDevices;
}

Result<const Device*> find_device(std::string_view name) {
  std::vector<std::string> names;
  for (const Device& device : device_catalog()) {
    names.push_back(device.name);
    if (device.name != name) continue;
    const Result<fs::path> fitted = device_fit_path(name);
    std::error_code ignored;
    if (fitted.ok() && fs::exists(*fitted, ignored)) return read_fit(*fitted, name);
    return &device;
  }
  return bad_input("no device '", name, "'", did_you_mean(name, names),
                   "; there are: ", join(names));
}

}  // namespace hone
