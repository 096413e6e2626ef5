// What rules about GPUs share.
#pragma once

#include <string>
#include <vector>

#include "hone/analyze/rule_def.h"

namespace hone {

// Whether a GPU's profiler told of it.
bool is_gpu_run(const Profile& profile);

// One of Hone's own, whose steps are known.
bool is_own_gpu_run(const Profile& profile);

// A counter of a step under one of its names, as Nsight Compute shows and spells it.
std::optional<double> counter_of(const StepProfile& step, std::string_view shown,
                                 std::string_view metric = "");

// How often a kernel's blocks fill all multiprocessors: "Waves Per SM" where that was counted, else
// by their number, where it is below that of the multiprocessors and the rest gets none.
std::optional<double> waves_of(const Evidence& in, size_t s);

// What PyTorch's profiler takes of the host for an operator or a call that it writes down, in us:
// what two programs that the host held back took longer with it than without it (a ResNet-18 in
// half precision on 64 images, and 24 layers that wait for nothing; on the host of an H200, shapes
// recorded), 1.8 and 2.1 for each that was written down. A slower host takes longer.
inline constexpr double kProfilerUs = 1.9;
inline constexpr double kProfilerMostUs = 2.9;
// Only of that profiler is it known.
bool profiler_is_known(const Profile& profile);

// Of a finding that advises a larger batch: how many inputs at a time its gain is of.
inline constexpr const char* kBatchEvidence = "batch";

// "aten::item 24 times, aten::to 24 times": the first few.
std::string named_costs(const std::vector<GpuCost>& costs);
// "aten::div 13.2 ms, aten::to 10.5 ms".
std::string timed_costs(const std::vector<GpuCost>& costs);
double sum_us(const std::vector<GpuCost>& costs);

// The steps that copy that way: "HtoD".
std::vector<size_t> copying_steps(const Evidence& in, std::string_view way);

// Of the run whose timeline is known, the time in which one of these steps ran, however many did at
// once; and that in which none but these ran, which alone is gained when they are gone.
double covered_us(const Evidence& in, const std::vector<size_t>& steps);
double alone_us(const Evidence& in, const std::vector<size_t>& steps);
// All steps but these.
std::vector<size_t> other_steps(const Evidence& in, const std::vector<size_t>& steps);

}  // namespace hone
