#pragma once

#include "hone/device/analytic_spec.h"
#include "hone/device/device_io.h"

namespace hone {

void fields(DeviceIo& io, AnalyticSpec& spec);

}  // namespace hone
