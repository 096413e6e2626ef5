#include <algorithm>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"

namespace hone {
namespace {

constexpr double kNpuLaunchBoundWorthIt = 0.1;  // Part of the run.
constexpr double kInputsPerStart = 8;           // For each start of the NPU, if they come in lots.

// What the host hands over is the business of npu_fallback.
void check_npu_launch_bound(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  const bool used = std::ranges::any_of(in.profile.steps,
                                        [](const StepProfile& step) { return !step.kind.on_host; });
  if (!device || !used) return;
  const NpuSpec& npu = *device->npu();
  const double start = std::min(npu.queue.start_us, wait_us(in, 0, sim::Stall::Dispatch));
  double issue = in.step(0).kind.on_host ? 0 : -start;
  std::vector<size_t> steps;
  for (size_t s = 0; s < in.steps(); ++s) {
    const double waited = in.step(s).kind.on_host ? 0 : wait_us(in, s, sim::Stall::Dispatch);
    issue += waited;
    if (waited > 0.1 * in.step(s).us) steps.push_back(s);
  }
  issue = std::max(0.0, issue);
  if (start + issue < kNpuLaunchBoundWorthIt * in.run_us()) return;
  Finding finding;
  finding.title =
      str("starting takes ", share_of_run(in, start + issue), " of the run: ", fixed(start, 1),
          " us until the NPU begins, ", fixed(issue, 1), " us until commands are issued");
  finding.evidence = {
      time_evidence("start", start), time_evidence("issue", issue),
      count_evidence("commands", in.profile.engines ? in.profile.engines->commands : 0)};
  finding.steps = std::move(steps);
  finding.fix = str("hand the NPU ", fixed(kInputsPerStart, 0),
                    " inputs at a time; fewer and larger layers need fewer commands");
  finding.gain = predicted_gain(start * (1 - 1 / kInputsPerStart) + issue / 2, 1.3);
  finding.formula = str(fixed(start, 1), " us x (1 - 1 / ", fixed(kInputsPerStart, 0),
                        ") + half of ", fixed(issue, 1), " us");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_npu_launch_bound = {
    .id = "npu_launch_bound",
    .summary = "Networks so small that starting an NPU and issuing commands takes a tenth or more.",
    .bound = Bound::Launch,
    .on = RuleFor::Npu,
    .check = check_npu_launch_bound,
};

}  // namespace hone
