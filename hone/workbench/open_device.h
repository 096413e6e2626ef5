#pragma once

#include <optional>
#include <string>

#include "hone/targets/devices.h"

namespace hone {

// The device behind a name as -d takes it; nothing for targets that are no devices, such as cpu.
// BadInput when there is no such name or file.
Result<std::optional<Device>> open_device(const std::string& name);

}  // namespace hone
