#include "hone/workbench/open_device.h"

#include <algorithm>

#include "hone/targets/target.h"

namespace hone {

Result<std::optional<Device>> open_device(const std::string& name) {
  HONE_TRY(const TargetDef* target, find_target(name));
  if (std::ranges::find(all_targets(), target) != all_targets().end()) {
    return std::optional<Device>();
  }
  HONE_TRY(Device device, find_or_read_device(name));
  return std::optional(std::move(device));
}

}  // namespace hone
