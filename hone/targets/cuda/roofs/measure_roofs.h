// The roofs of the GPU: arithmetic, memories, the way to the host and launches.
#pragma once

#include "hone/device/device_file.h"
#include "hone/targets/target.h"

namespace hone::cuda {

// Each rate is the best of a few bursts of some milliseconds, on random operands; launches are
// medians. A few seconds, most of them the compiler's. Resource without a GPU.
Result<DeviceFile> measure_roofs(const RoofProgress& progress);

}  // namespace hone::cuda
