#include "hone/workbench/open_device.h"

#include <algorithm>

#include "hone/targets/target.h"

namespace hone {

Result<std::optional<Device>> open_device(const std::string& name) {
  HONE_TRY(const TargetDef* target, find_target(name));
  if (std::ranges::find(all_targets(), target) != all_targets().end()) {
    return std::optional<Device>();
  }
  if (name.ends_with(".toml")) {
    HONE_TRY(Device device, read_device(name));
    return std::optional(std::move(device));
  }
  HONE_TRY(const Device* device, find_device(name));
  return std::optional(*device);
}

}  // namespace hone
