#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_passes_disabled(const Evidence& in, std::vector<Finding>& out) {
  if (in.options.disabled_passes.empty()) return;
  Finding finding;
  finding.title = str("switched off: ", join(in.options.disabled_passes));
  finding.evidence = {
      count_evidence("disabled_passes", static_cast<double>(in.options.disabled_passes.size()))};
  finding.fix = "leave every pass on";
  finding.gain = unavailable("gain", "ms", "not known before it is tried");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_passes_disabled = {
    .id = "passes_disabled",
    .summary = "Graph rewrites that were switched off.",
    .bound = Bound::Memory,
    .check = check_passes_disabled,
};

}  // namespace hone
