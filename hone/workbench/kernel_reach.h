#pragma once

#include <vector>

#include "hone/device/device_file.h"

namespace hone {

// Runs a network of common layers on the cpu target in every precision that has kernels there, on
// one thread, and lays the time of each kind of kernel beside the least time that `roofs` allow.
Result<std::vector<KernelReach>> measure_kernels(const DeviceFile& roofs);

}  // namespace hone
