#include "hone/targets/common/modelled_metrics.h"

#include <algorithm>
#include <cmath>

#include "hone/base/text.h"

namespace hone {
namespace {

void check_bound(const CalibrationFit& fit, double value, double least, double most,
                 std::string_view what, std::vector<std::string>& notes) {
  if (value >= least && value <= most) return;
  const auto count = [](double x) { return human_count(static_cast<int64_t>(x)); };
  notes.push_back(str("outside of the fit: ", count(value), " ", what, " are ",
                      value < least ? "less than the least" : "more than the most", " of the ",
                      fit.points, " points it stands on, ", count(value < least ? least : most)));
}

}  // namespace

NetworkWork network_work(const std::vector<StepInfo>& steps) {
  NetworkWork work;
  for (const StepInfo& step : steps) {
    work.macs += static_cast<double>(step.cost.macs);
    work.bytes += static_cast<double>(step.cost.bytes());
  }
  return work;
}

Metric predicted_metric(std::string name, double value, std::string unit) {
  return {.name = std::move(name),
          .value = value,
          .unit = std::move(unit),
          .mode = Mode::Predicted,
          .n = 1};
}

Metric exact_bytes(std::string name, size_t bytes, std::string note) {
  return {.name = std::move(name),
          .value = static_cast<double>(bytes),
          .unit = "B",
          .mode = Mode::Exact,
          .note = std::move(note)};
}

void withhold(Metric& metric, const std::string& why) {
  metric.value = metric.low = metric.high = std::nullopt;
  metric.note = why;
}

void set_interval(Metric& metric, const std::optional<CalibrationFit>& fit, double factor) {
  if (!metric.value) return;
  const double value = *metric.value;
  const double either_way = fit ? 1 + fit->error : factor;
  metric.low = value / either_way;
  metric.high = value * either_way;
  const std::string width = fit ? str("fitted to ", fit->points, " points of ", fit->date)
                                : str("expected within a factor of ", factor);
  metric.note = metric.note.empty() ? width : str(metric.note, "; ", width);
}

void set_interval(Metric& metric, const CheckedTimes& checked, double wider) {
  if (!metric.value) return;
  metric.low = *metric.value / (checked.factor * wider);
  metric.high = *metric.value * checked.factor * wider;
  metric.note =
      str("nine of ten expected within, by ", checked.rows, " published times of ", checked.of);
}

double watts_of_run(const DevicePower& power, double macs) {
  const bool known = power.busy_watts && power.busy_macs && power.typical_macs;
  if (!known || macs <= *power.typical_macs) return power.typical_watts;
  if (macs >= *power.busy_macs) return *power.busy_watts;
  const double part =
      std::log(macs / *power.typical_macs) / std::log(*power.busy_macs / *power.typical_macs);
  return power.typical_watts * std::pow(*power.busy_watts / power.typical_watts, part);
}

// What a device draws when it is kept busy is the nearer to the most that it may.
static double power_factor(const DevicePower& power, double watts) {
  if (watts == power.typical_watts || !power.max_watts) return power.factor;
  return std::clamp(*power.max_watts / watts, 1.0, power.factor);
}

Metric run_energy(const DevicePower& power, const Metric& latency, double macs) {
  const double watts = watts_of_run(power, macs);
  Metric energy = predicted_metric("energy", watts * *latency.value, "mJ");
  const double time = latency.high ? std::log(*latency.high / *latency.value) : 0;
  const double either_way = std::exp(std::hypot(time, std::log(power_factor(power, watts))));
  energy.low = *energy.value / either_way;
  energy.high = *energy.value * either_way;
  energy.note = watts == power.typical_watts
                    ? str("of one run at ", watts, " W, typical of the ", power.of,
                          " while it runs a network")
                    : str("of one run at ", fixed(watts, 0), " W, what the ", power.of,
                          " draws for one of so many MACs");
  return energy;
}

std::vector<std::string> coverage_notes(const std::optional<CalibrationFit>& fit,
                                        const NetworkWork& work) {
  std::vector<std::string> notes;
  if (!fit) return notes;
  check_bound(*fit, work.macs, fit->least_macs, fit->most_macs, "MACs", notes);
  check_bound(*fit, work.bytes, fit->least_bytes, fit->most_bytes, "bytes moved", notes);
  return notes;
}

}  // namespace hone
