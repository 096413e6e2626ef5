#pragma once

#include <vector>

#include "hone/device/host.h"

namespace hone::cpu {

// What the target's heaviest steps are run by on this CPU, precision by precision.
std::vector<HostKernel> chosen_kernels();

}  // namespace hone::cpu
