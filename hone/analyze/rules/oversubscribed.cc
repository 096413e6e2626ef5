#include "hone/analyze/pricing.h"
#include "hone/base/parallel.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kSpinning = 0.5;

void check_oversubscribed(const Evidence& in, std::vector<Finding>& out) {
  const int cores = hardware_threads();
  if (in.profile.threads <= cores) return;
  const double part = 1 - static_cast<double>(cores) / in.profile.threads;
  Finding finding;
  finding.title =
      str(in.profile.threads, " threads share ", count_of(static_cast<size_t>(cores), "core"));
  finding.evidence = {count_evidence("threads", in.profile.threads),
                      count_evidence("hardware_threads", cores)};
  if (const Metric* wait = find_metric(in.profile.system, "run_queue_wait")) {
    finding.evidence.push_back(*wait);
  }
  finding.fix = str("run on ", count_of(static_cast<size_t>(cores), "thread"));
  finding.hint = {HintKind::Threads, str(cores)};
  finding.gain = predicted_gain(part * kSpinning * in.run_us(), 2);
  finding.formula = str("time of the run x part of the threads without a core x ", kSpinning,
                        ", the part of their turn that they spend waiting for the others");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_oversubscribed = {
    .id = "oversubscribed",
    .summary = "More threads at work than there are cores to run them.",
    .bound = Bound::Imbalance,
    .on = RuleFor::Measured,
    .check = check_oversubscribed,
};

}  // namespace hone
