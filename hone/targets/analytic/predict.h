// The time of a network on a processor that is known by a few numbers:
//   run_us + sum over steps of max(ops / (peak * efficiency), bytes / bandwidth) + step_us
// It knows nothing of caches, of layouts or of how a library cuts the work; what that costs on
// average is in the efficiencies.
#pragma once

#include <span>
#include <string_view>

#include "hone/device/analytic_spec.h"

namespace hone {

struct AnalyticStep {
  std::string_view kind = "other";      // "dense", ...: a key of AnalyticSpec::efficiency.
  std::string_view precision = "fp32";  // A key of AnalyticSpec::peak_ops.
  double ops = 0;                       // A multiply-add is two.
  double bytes = 0;                     // Read and written, weights included.
};

struct StepPrediction {
  double arithmetic_us = 0;
  double memory_us = 0;
  double us = 0;  // The larger of both, and the start. Nothing for a step that does nothing.
};

// What is said of integers on such a device.
inline constexpr std::string_view kNoInt8Rate =
    "its device file has no int8 rate: integers are timed at that of fp32";

// Operations per second: those of fp32 where the device has none for the precision.
double peak_of(const AnalyticSpec& spec, std::string_view precision);

StepPrediction predict_step(const AnalyticSpec& spec, const AnalyticStep& step);

// Of a whole run, in microseconds.
double predict_run(const AnalyticSpec& spec, std::span<const AnalyticStep> steps);

}  // namespace hone
