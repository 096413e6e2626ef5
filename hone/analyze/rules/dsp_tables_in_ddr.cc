#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_dsp_tables_in_ddr(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).macs == 0 && dsp_count(in, s, "away_bytes") > 0 &&
           dsp_count(in, s, "spilled_bytes") == 0 && waited_us(in, s) > 0;
  });
  const double waited = waited_us(in, steps);
  if (waited <= 0) return;
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " wait ", share_of_run(in, waited),
                      " of the run for tables in main memory");
  set_waited(in, steps, "away_bytes", finding);
  finding.fix =
      "fewer functions of one value, or the same one in more layers; moves by a few strides "
      "instead of "
      "lists of places; or a "
      "device with more VTCM (vtcm_kib)";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_tables_in_ddr = {
    .id = "dsp_tables_in_ddr",
    .summary = "Layers that wait for tables which do not lie in VTCM.",
    .bound = Bound::Capacity,
    .on = RuleFor::Dsp,
    .check = check_dsp_tables_in_ddr,
};

}  // namespace hone
