#include "hone/profile/target_device.h"

#include <cctype>

#include "hone/base/str.h"
#include "hone/device/device_folder.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// "nvidia_h200" of "NVIDIA H200".
std::string as_file_name(std::string_view text) {
  std::string name;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    name += std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return name;
}

}  // namespace

Result<fs::path> target_device_path(const TargetDef& target) {
  if (target.measure_roofs == nullptr) {
    return unsupported("the roofs of ", target.name, " cannot be measured");
  }
  if (const Support here = target.here(); !here.full) {
    return out_of_resource("target ", target.name, " is not here: ", here.reason);
  }
  HONE_TRY(const fs::path folder, cache_folder());
  return folder / "device" / str(as_file_name(str(target.device(), " ", target.driver())), ".toml");
}

Result<DeviceFile> load_target_device(const TargetDef& target) {
  HONE_TRY(const fs::path path, target_device_path(target));
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return out_of_resource("the roofs of ", target.device(), " are not known");
  }
  HONE_TRY(DeviceFile device, read_device_file(path));
  if (device.name != target.device() || device.driver != target.driver()) {
    return out_of_resource(path.string(), " is of ", device.name, " with ", device.driver,
                           ", here is ", target.device(), " with ", target.driver());
  }
  return device;
}

}  // namespace hone
