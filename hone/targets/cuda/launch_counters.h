// What is known of a step's kernels before they run, how they fill the GPU, and what its counters
// say of them.
#pragma once

#include <vector>

#include "hone/base/metric.h"
#include "hone/targets/cuda/loaded.h"

namespace hone::cuda {

// Under the names that Nsight Compute shows. Of the longest launch of a step, by its blocks; empty
// for steps of the host.
std::vector<Metric> launch_counters(const Loaded& loaded, size_t step);

// What is counted of every launch, in the words of the GPU's counters.
std::vector<std::string> counted_metrics();
// Of every launch of the plan's steps those metrics: under the names that Nsight Compute shows, of
// every step. Of several launches times and bytes are added up, the others are means over the time.
std::vector<std::vector<Metric>> counters_of_steps(const Plan& plan,
                                                   const std::vector<std::vector<double>>& counted);

}  // namespace hone::cuda
