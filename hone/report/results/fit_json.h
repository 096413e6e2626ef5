#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"

namespace hone {

// What stands under "results" of a result file, and back; of the device a file has its name and what
// the fit found. BadInput names the key.
nlohmann::ordered_json fit_to_json(const FittedDevice& fit);
// The JSON Schema of it.
nlohmann::ordered_json fit_schema();
Result<FittedDevice> fit_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
