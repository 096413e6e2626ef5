#pragma once

#include <span>

#include "hone/device/device_class.h"

namespace hone {

// The prior by which parts of the devices, with one point of each known, are predicted best from the
// others. The usual one where there are too few devices to hold any out, or so many that it hardly
// counts.
CostPrior chosen_prior(std::span<const ClassDevice> devices);

}  // namespace hone
