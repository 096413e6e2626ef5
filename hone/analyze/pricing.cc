#include "hone/analyze/pricing.h"

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
  return str(fixed(100 * us / in.run_us(), 1), " %");
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
  return {.precision = step.precision,
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

double stream_us(const Evidence& in, uint64_t bytes) {
  return roof_time(in.device, in.profile.threads, {.activation_bytes = static_cast<double>(bytes)})
      .us;
}

}  // namespace hone
