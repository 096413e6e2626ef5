// Budgets against what was reached: one row of the verdict each.
#pragma once

#include "hone/validate/limits.h"
#include "hone/validate/validation.h"

namespace hone {

// "1.1 % (0.9050 -> 0.8950)" against a limit on the drop of a metric.
GateRow accuracy_row(const Metric& metric, const Metric& reference, bool more_is_better,
                     const DropLimit& limit);

// Where the samples are so few that one of them is more than the limit; empty where they are not, or
// where the metric is no share of samples.
std::string grain_note(const Metric& metric, const Metric& reference, const DropLimit& limit);

// Of a row that passes: that few samples have the reference's answer, fewer than half of those that
// could have it with these values, so that the metric may hold by chance. Empty where it is not so.
std::string chance_note(const Metric& agreement, const Metric& metric, const Metric& reference);

GateRow latency_row(const Latency& latency, double limit_seconds, Mode mode);
// The time that a model of the machine gives, with its interval where it has one. What the model
// was not fitted to, `uncovered`, it cannot pass.
GateRow modelled_latency_row(const Metric& latency, double limit_seconds,
                             const std::vector<std::string>& uncovered = {});

// A network that does not fit its device: a failure whatever else was asked. `misfit` as in
// ModelledRun.
GateRow fit_row(const std::string& misfit);
// The row of what such a network does not have, a latency or an energy.
GateRow without_fit(GateRow row);

// `how` says what the base is: "interleaved with base.onnx", "against the file base.json".
GateRow slowdown_row(const Slowdown& slowdown, const SlowdownLimits& limits, const std::string& how,
                     Mode mode);

// A count of bytes, and what is counted; nothing to count, for the reason `missing`, is
// inconclusive.
GateRow bytes_row(const std::string& what, std::optional<uint64_t> bytes, double limit,
                  const std::string& counted, const std::string& missing);

// Metrics with an interval that holds the limit are inconclusive, those without a value too.
GateRow energy_row(const Metric& energy, double limit_joules);

}  // namespace hone
