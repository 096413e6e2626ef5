#include "hone/analyze/pricing.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {

Metric predicted_gain(double us, double factor) {
  return {.name = "gain",
          .value = us * 1e-3,
          .unit = "ms",
          .mode = Mode::Predicted,
          .low = us * 1e-3 / factor,
          .high = us * 1e-3 * factor};
}

double sum_us(const Evidence& in, const std::vector<size_t>& steps) {
  double us = 0;
  for (const size_t s : steps) us += in.step(s).us;
  return us;
}

std::string share_of_run(const Evidence& in, double us) {
  // Medians of steps may add up to more than the median run.
  return str(fixed(100 * std::min(1.0, us / in.run_us()), 1), " %");
}

std::string count_of(size_t count, const char* noun) {
  return str(count, " ", noun, count == 1 ? "" : "s");
}

Metric time_evidence(std::string name, double us) {
  return {.name = std::move(name), .value = us, .unit = "us"};
}

Metric count_evidence(std::string name, double count) {
  return {.name = std::move(name), .value = count, .mode = Mode::Exact};
}

RoofWork work_of(const Evidence& in, size_t s) {
  const StepProfile& step = in.step(s);
  double footprint = static_cast<double>(in.profile.arena_bytes);
  for (const StepProfile& one : in.profile.steps)
    footprint += static_cast<double>(one.weight_bytes);
  return {.precision = std::string(name_of(step.kind.precision)),
          .flops = static_cast<double>(step.flops),
          .activation_bytes = static_cast<double>(step.read_bytes + step.written_bytes),
          .weight_bytes = static_cast<double>(step.weight_bytes),
          .footprint_bytes = footprint};
}

double rescaled_us(const Evidence& in, size_t step, const RoofWork& changed) {
  const double before = roof_time(in.device, in.profile.threads, work_of(in, step)).us;
  const double after = roof_time(in.device, in.profile.threads, changed).us;
  return before > 0 ? in.step(step).us * after / before : in.step(step).us;
}

Finding removable(const Evidence& in, std::vector<size_t> steps, std::string title,
                  std::string fix) {
  const double us = sum_us(in, steps);
  Finding finding;
  finding.title = std::move(title);
  finding.evidence = {time_evidence("time", us),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  finding.removes = true;
  finding.fix = std::move(fix);
  finding.gain = predicted_gain(us, 1.2);
  finding.formula = str("all of the ", fixed(us, 1), " us that they take");
  finding.confidence = "high";
  return finding;
}

}  // namespace hone
