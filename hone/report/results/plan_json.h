#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/device/measurement_plan.h"

namespace hone {

// What stands under "results" of a result file.
nlohmann::ordered_json plan_to_json(const MeasurementPlan& plan);

}  // namespace hone
