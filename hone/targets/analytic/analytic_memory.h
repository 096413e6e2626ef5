#pragma once

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone {

// What a network keeps in memory, and whether the device has as much. Requires device.analytic().
void add_analytic_memory(const Program& computes, const Device& device, ModelledRun& run);

}  // namespace hone
