// Machines in result files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/device/device_file.h"
#include "hone/device/host.h"

namespace hone {

// The roofs of a machine.
nlohmann::ordered_json machine_to_json(const DeviceFile& device);

// What this machine has, and what is missing.
nlohmann::ordered_json host_to_json(const HostReport& report);

}  // namespace hone
