#pragma once

#include "hone/targets/device_fit.h"

namespace hone {

// The start of a run and of a command, and what memories and the SRAM reach of their bandwidth.
extern const DeviceFitDef npu_fit;

}  // namespace hone
