// What is known of a step's kernels before they run: how they fill the GPU.
#pragma once

#include <vector>

#include "hone/base/metric.h"
#include "hone/targets/cuda/loaded.h"

namespace hone::cuda {

// Under the names that Nsight Compute shows. Of the longest launch of a step, by its blocks; empty
// for steps of the host.
std::vector<Metric> launch_counters(const Loaded& loaded, size_t step);

}  // namespace hone::cuda
