#include <algorithm>
#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kShallowProductsUsual = 0.8;  // Of the roof, that products of some depth reach.

void check_shallow_products(const Evidence& in, std::vector<Finding>& out) {
  for (size_t s = 0; s < in.steps(); ++s) {
    const StepProfile& step = in.step(s);
    if (step.macs == 0 || !step.roof_us || step.written_bytes == 0) continue;
    // Other tools do not say how they compute.
    const StepFamily family = step.kind.family;
    const bool product = in.profile.tool == "hone"
                             ? family == StepFamily::Product || family == StepFamily::Recurrent
                             : family != StepFamily::Depthwise;
    if (!product) continue;
    const auto outputs =
        static_cast<double>(step.written_bytes) / bytes_per_element(name_of(step.kind.precision));
    const double depth = static_cast<double>(step.macs) / outputs;
    if (depth >= 32 || *step.roof_us > 0.5 * step.us) continue;
    const double reachable = *step.roof_us / kShallowProductsUsual;
    Finding finding;
    finding.title = str("'", short_name(step.name), "' sums over ", fixed(depth, 0),
                        " products only and reaches ", fixed(100 * *step.roof_us / step.us, 0),
                        " % of the roof");
    finding.evidence = {time_evidence("time", step.us), time_evidence("roof", *step.roof_us),
                        count_evidence("depth", depth)};
    finding.steps = {s};
    finding.fix =
        "fold space into channels in front of it (space_to_depth), or merge it with the next";
    finding.gain = predicted_gain(step.us - std::min(step.us, reachable), 1.5);
    finding.formula =
        str(fixed(step.us, 1), " us now, less ", fixed(reachable, 1), " us at 80 % of the roof");
    finding.confidence = "low";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_shallow_products = {
    .id = "shallow_products",
    .summary = "Convolutions of so few input channels that kernels cannot keep busy.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Measured,
    .check = check_shallow_products,
};

}  // namespace hone
