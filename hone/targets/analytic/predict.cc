#include "hone/targets/analytic/predict.h"

#include <algorithm>

#include "hone/base/check.h"

namespace hone {

double peak_of(const AnalyticSpec& spec, std::string_view precision) {
  const auto found = spec.peak_ops.find(precision);
  if (found != spec.peak_ops.end()) return found->second;
  const auto widest = spec.peak_ops.find("fp32");
  HONE_CHECK(widest != spec.peak_ops.end(), "a device without a peak for fp32");
  return widest->second;
}

StepPrediction predict_step(const AnalyticSpec& spec, const AnalyticStep& step) {
  if (step.ops == 0 && step.bytes == 0) return {};
  const auto efficiency = spec.efficiency.find(step.kind);
  HONE_CHECK(efficiency != spec.efficiency.end(), "no efficiency of ", step.kind, " steps");
  StepPrediction prediction;
  prediction.arithmetic_us = 1e6 * step.ops / (peak_of(spec, step.precision) * efficiency->second);
  prediction.memory_us = 1e6 * step.bytes / (spec.bytes_per_second * spec.memory_efficiency);
  prediction.us = std::max(prediction.arithmetic_us, prediction.memory_us) + spec.step_us;
  return prediction;
}

double predict_run(const AnalyticSpec& spec, std::span<const AnalyticStep> steps) {
  double us = spec.run_us;
  for (const AnalyticStep& step : steps) us += predict_step(spec, step).us;
  return us;
}

}  // namespace hone
