#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kThreadImbalanceUsual =
    0.95;  // Part of the time that threads are at work in a good step.

// Of a run: how long threads were idle at most since one that they waited for had no core, which other
// work had. No other division of the work brings that back.
double us_without_a_core(const Evidence& in) {
  const Metric* waited = find_metric(in.profile.system, "run_queue_wait");
  const Metric* seconds = find_metric(in.profile.system, "measured_for");
  if (waited == nullptr || seconds == nullptr || !waited->value || !seconds->value) return 0;
  const double idle = (in.profile.threads - 1.0) / in.profile.threads;
  return in.run_us() * idle * *waited->value / *seconds->value;
}

void check_thread_imbalance(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.threads < 2) return;
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).busy && *in.step(s).busy < 0.85 && in.step(s).us > 20;
  });
  double us = 0;
  for (const size_t s : steps) us += in.step(s).us * (kThreadImbalanceUsual - *in.step(s).busy);
  us -= us_without_a_core(in);
  if (us <= 0) return;
  Finding finding;
  finding.title = str("threads are idle for ", share_of_run(in, us), " of the run in ",
                      count_of(steps.size(), "step"));
  finding.evidence = {time_evidence("time", sum_us(in, steps)), time_evidence("idle", us)};
  finding.steps = steps;
  finding.fix =
      "their work does not divide evenly between the threads: try another number of threads";
  finding.hint = {HintKind::Threads, str(in.profile.threads - 1)};
  finding.gain = predicted_gain(us, 1.5);
  finding.formula =
      "over the steps: time x (95 % - part of the time that the threads were at work), "
      "less what they waited for others that had no core";
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_thread_imbalance = {
    .id = "thread_imbalance",
    .summary = "Threads that wait for each other at the end of steps.",
    .bound = Bound::Imbalance,
    .on = RuleFor::Measured,
    .check = check_thread_imbalance,
};

}  // namespace hone
