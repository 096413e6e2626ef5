#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_dsp_vtcm_spills(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return waits_for_tensors(in, s) && waited_us(in, s) > 0; });
  const double waited = waited_us(in, steps);
  if (waited <= 0) return;
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " wait ", share_of_run(in, waited),
                      " of the run for tensors that have no room in VTCM");
  set_waited(in, steps, "spilled_bytes", finding);
  finding.fix =
      "smaller tensors where they are largest: a larger stride or fewer channels in the first "
      "layers, "
      "smaller inputs; or a "
      "device with more VTCM (vtcm_kib)";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_vtcm_spills = {
    .id = "dsp_vtcm_spills",
    .summary = "Layers that wait for tensors which do not lie in VTCM.",
    .bound = Bound::Capacity,
    .on = RuleFor::Dsp,
    .check = check_dsp_vtcm_spills,
};

}  // namespace hone
