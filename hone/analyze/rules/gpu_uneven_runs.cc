#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/statistics.h"

namespace hone {
namespace {

// Of Hone's own many runs some are always longer.
void check_gpu_uneven_runs(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<double>& runs = in.profile.samples_ms;
  const LongRuns longer = long_runs(runs);
  if (is_own_gpu_run(in.profile) || longer.count == 0) return;
  double mean = 0;
  for (const double ms : runs) mean += ms / static_cast<double>(runs.size());
  Finding finding;
  finding.title =
      str(long_runs_text(longer, runs.size()), ": the mean run takes ", millis(mean), " ms");
  finding.evidence = {count_evidence("runs", static_cast<double>(runs.size())),
                      count_evidence("much longer", static_cast<double>(longer.count)),
                      time_evidence("mean", 1e3 * mean)};
  finding.fix =
      "find out what else happens in these runs: data that is not ready, memory that is taken "
      "anew, a checkpoint or an evaluation, kernels compiled for another shape, other programs";
  finding.gain = unavailable("gain", "ms", "nothing to gain in the median run");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_uneven_runs = {
    .id = "gpu_uneven_runs",
    .summary = "Some runs on a GPU took much longer than the median, which hides them.",
    .bound = Bound::Measurement,
    .on = RuleFor::Gpu,
    .check = check_gpu_uneven_runs,
};

}  // namespace hone
