#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/device/device_class.h"

namespace hone {

// What stands under "results" of a result file.
nlohmann::ordered_json class_to_json(const DeviceClass& learned);

}  // namespace hone
