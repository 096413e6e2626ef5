// The GPU's own counters, read through CUPTI where it is found and the driver lets us.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hone/cuda/gpu.h"

namespace hone::cuda {

// Runs `work`, which launches `launches` kernels and waits for them, as often as the metrics ask for:
// there are fewer counters than events. Gives the metrics, in Nsight Compute's words
// ("dram__bytes.sum"), of every launch in order. Resource, with the reason in one line, where there
// is no CUPTI or the driver refuses.
Result<std::vector<std::vector<double>>> count_launches(const Gpu& gpu,
                                                        const std::vector<std::string>& metrics,
                                                        size_t launches,
                                                        const std::function<Status()>& work);

}  // namespace hone::cuda
