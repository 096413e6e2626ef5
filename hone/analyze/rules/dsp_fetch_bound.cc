#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_dsp_fetch_bound(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).macs > 0 && !waits_for_tensors(in, s) && waited_us(in, s) > 0;
  });
  const double waited = waited_us(in, steps);
  if (waited <= 0) return;
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " wait ", share_of_run(in, waited),
                      " of the run for weights that come slower than they are computed with");
  set_waited(in, steps, "ddr_bytes", finding);
  finding.fix =
      "fewer weights where few pixels share them: smaller last layers, narrower fully connected "
      "ones; "
      "VTCM that keeps them "
      "from run to run (vtcm_kib)";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_fetch_bound = {
    .id = "dsp_fetch_bound",
    .summary = "Layers that wait for their weights, which main memory brings.",
    .bound = Bound::Memory,
    .on = RuleFor::Dsp,
    .check = check_dsp_fetch_bound,
};

}  // namespace hone
