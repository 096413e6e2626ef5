#pragma once

#include "hone/base/result.h"
#include "hone/device/device.h"
#include "hone/device/measurement_plan.h"

namespace hone {

// At most `count` networks among those that the device's class was learned from, in the precision
// that its users run; those that were measured on it are left out. Unsupported for a device that
// belongs to no class.
Result<MeasurementPlan> plan_measurements(const Device& device, size_t count);

}  // namespace hone
