#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/device/fitted_device.h"

namespace hone {

// What stands under "results" of a result file.
nlohmann::ordered_json fit_to_json(const FittedDevice& fit);

}  // namespace hone
