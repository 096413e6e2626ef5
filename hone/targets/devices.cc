#include "hone/targets/devices.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "hone/base/peek_file.h"
#include "hone/base/text.h"
#include "hone/device/catalog_file.h"
#include "hone/device/class_file.h"
#include "hone/device/device_folder.h"
#include "hone/targets/device_kind.h"

namespace hone {
namespace fs = std::filesystem;

#define HONE_DEVICE_KIND(name) extern const DeviceKindDef device_kind_##name;
#include "hone/targets/device_kinds.inc"
#undef HONE_DEVICE_KIND

const std::vector<const DeviceKindDef*>& device_kinds() {
  static const std::vector<const DeviceKindDef*> kKinds = {
#define HONE_DEVICE_KIND(name) &device_kind_##name,
#include "hone/targets/device_kinds.inc"
#undef HONE_DEVICE_KIND
  };
  return kKinds;
}

const DeviceKindDef& kind_of(const Device& device) {
  for (const DeviceKindDef* kind : device_kinds()) {
    if (kind->name() == device.kind) return *kind;
  }
  HONE_CHECK(false, device.name, " is of no kind: ", device.kind);
  std::abort();
}

namespace {

const std::vector<SpecFormat>& formats() {
  static const std::vector<SpecFormat> kFormats = [] {
    std::vector<SpecFormat> list;
    for (const DeviceKindDef* kind : device_kinds()) list.push_back(kind->format);
    return list;
  }();
  return kFormats;
}

std::vector<Device> parse_catalog() {
  std::vector<Device> devices;
  for (const EmbeddedFile& file : catalog_files()) {
    Result<Device> device = parse_device(file.text, std::string(file.name));
    HONE_CHECK(device.ok(), device.error().message);
    HONE_CHECK(str(device->name, ".toml") == file.name, file.name, " names ", device->name);
    devices.push_back(*std::move(device));
  }
  std::ranges::sort(devices, {}, &Device::name);
  return devices;
}

Result<Device> read_plainly(const fs::path& path) {
  HONE_TRY(const std::string text, read_text(path));
  HONE_TRY(Device device, parse_device(text, path.string()));
  device.path = path.string();
  return device;
}

// One that no class of the device knows shifts nothing, and is most likely misspelt. Devices of the
// catalog keep theirs where a user's own class has taken the place of one that has such.
Status check_group(const Device& device) {
  const AnalyticSpec* spec = device.analytic();
  if (spec == nullptr || !spec->membership || spec->membership->group.empty()) return Done{};
  std::set<std::string> groups;
  for (const auto& [precision, name] : spec->membership->classes) {
    for (const auto& [group, factors] : (*find_class(name))->groups) groups.insert(group);
  }
  const std::string& own = spec->membership->group;
  if (groups.contains(own)) return Done{};
  const std::vector<std::string> known(groups.begin(), groups.end());
  return bad_input("class.group: no group '", own, "' in its classes", did_you_mean(own, known),
                   "; expected nothing", known.empty() ? "" : ", or one of: ", join(known));
}

// Kept by what it says, so that one that was fitted anew is seen and pointers to the old one stay
// good.
Result<const Device*> read_fit(const fs::path& path, std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Device> read;
  HONE_TRY(Device device, read_plainly(path));
  if (device.name != name) {
    return bad_input(path.string(), ": name: expected ", name, ", found ", device.name);
  }
  const std::lock_guard lock(mutex);
  std::string text = device_text(device);
  return &read.try_emplace(std::move(text), std::move(device)).first->second;
}

}  // namespace

Result<Device> parse_device(std::string_view text, const std::string& file) {
  return parse_device(text, file, formats());
}

Result<Device> read_device(const fs::path& path) {
  HONE_TRY(Device device, read_plainly(path));
  HONE_RETURN_IF_ERROR(check_group(device).in(path.string()));
  const DeviceKindDef& kind = kind_of(device);
  if (kind.check != nullptr) HONE_RETURN_IF_ERROR(kind.check(device).in(path.string()));
  return device;
}

Result<std::vector<OperatorEntry>> parse_operators(std::string_view text, const std::string& file) {
  return parse_operators(text, file, formats());
}

Result<std::vector<OperatorEntry>> read_operators(const fs::path& path) {
  HONE_TRY(const std::string text, read_text(path));
  return parse_operators(text, path.string());
}

std::string device_text(const Device& device) {
  return device_text(device, formats());
}

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

Result<Device> find_or_read_device(const std::string& name) {
  if (name.ends_with(".toml")) return read_device(name);
  HONE_TRY(const Device* device, find_device(name));
  return *device;
}

}  // namespace hone
