// Runs of Hone's own on a GPU, told as GPUs' own profilers tell of others'.
#pragma once

#include <string_view>

#include "hone/profile/gpu_timeline.h"
#include "hone/profile/measure.h"

namespace hone {

// What the host does around a run, in GpuTimeline::host_work.
inline constexpr std::string_view kBindingInputs = "binding inputs";
inline constexpr std::string_view kGivingOutputs = "giving outputs";

// What the GPU did in the median run, and what it waited for. What is neither the GPU's nor a step
// of the host is the host's handing over: binding, launching, waiting. Requires watched runs, and
// plain ones with the GPU's own time.
GpuTimeline gpu_timeline_of(const Accelerator& gpu, const Samples& samples);

}  // namespace hone
