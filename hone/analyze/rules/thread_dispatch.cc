#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_thread_dispatch(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.threads < 2 || !in.device.dispatch) return;
  const double dispatch = in.device.dispatch->spinning_us;
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return in.step(s).busy && in.step(s).us < 4 * dispatch; });
  if (steps.empty()) return;
  const double us = dispatch * static_cast<double>(steps.size());
  Finding finding;
  finding.title = str(count_of(steps.size(), "step"), " take less than four times the ",
                      fixed(dispatch, 1), " us that it costs to share them between threads");
  finding.evidence = {time_evidence("time", sum_us(in, steps)),
                      time_evidence("dispatch", dispatch)};
  finding.steps = steps;
  finding.fix = "run with fewer threads, or give the network a larger batch";
  finding.hint = {HintKind::Threads, "1"};
  finding.gain = predicted_gain(us, 2);
  finding.formula = str(steps.size(), " x ", fixed(dispatch, 1), " us");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_thread_dispatch = {
    .id = "thread_dispatch",
    .summary = "Steps so short that waking the threads costs more than they save.",
    .bound = Bound::Launch,
    .on = RuleFor::Measured,
    .check = check_thread_dispatch,
};

}  // namespace hone
