#pragma once

#include <memory>

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone {

// A microcontroller with a Cortex-M: times are predicted as those of other devices, and a program can be
// written as firmware in C. Requires device.analytic().
std::unique_ptr<Target> make_cortex_m_target(const Device& device);

}  // namespace hone
