#pragma once

#include "hone/targets/device_fit.h"

namespace hone {

// Efficiencies, bandwidth and overheads; peaks are what a data sheet states.
extern const DeviceFitDef analytic_fit;

}  // namespace hone
