// Whether there is a GPU, for whoever only asks, as the doctor does, and before one is opened.
#pragma once

#include <string>

#include "hone/base/result.h"

namespace hone::cuda {

// "1 x NVIDIA H200, 139.8 GiB, compute capability 9.0, driver for CUDA 13.0". Resource: why there is
// none that can be used. The driver is asked once, in a process of its own: one that crashes or
// hangs is an answer like others. Nothing is opened here. Requires that no GPU was opened before:
// drivers refuse the children of processes that use them.
Result<std::string> probe_gpu();

}  // namespace hone::cuda
