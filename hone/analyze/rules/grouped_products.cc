#include <algorithm>
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_grouped_products(const Evidence& in, std::vector<Finding>& out) {
  for (size_t s = 0; s < in.steps(); ++s) {
    const StepProfile& step = in.step(s);
    if (step.op != "conv" || in.nodes.empty() || !step.roof_us) continue;
    const int64_t* group = in.nodes[s]->find_attr<int64_t>("group");
    const TensorType& type = in.nodes[s]->outputs[0]->type.tensor;
    if (group == nullptr || *group <= 1 || !type.known()) continue;
    if (step.kind.family == StepFamily::Depthwise) continue;
    const auto* layout = in.nodes[s]->find_attr<std::string>("layout");
    const bool channels_last = layout != nullptr && *layout == "nhwc";
    const int64_t width = (channels_last ? type.shape.back() : type.shape[1]) / *group;
    if (width >= 16) continue;
    const double reachable = *step.roof_us / 0.5;
    Finding finding;
    finding.title =
        str("'", short_name(step.name), "' works in ", *group, " groups of ", width,
            " channels and reaches ", fixed(100 * *step.roof_us / step.us, 0), " % of the roof");
    finding.evidence = {time_evidence("time", step.us), time_evidence("roof", *step.roof_us),
                        count_evidence("channels_per_group", static_cast<double>(width))};
    finding.steps = {s};
    finding.fix = "use fewer, wider groups (16 channels or more), or a depthwise convolution";
    finding.gain = predicted_gain(step.us - std::min(step.us, reachable), 1.5);
    finding.formula =
        str(fixed(step.us, 1), " us now, less ", fixed(reachable, 1), " us at half of the roof");
    finding.confidence = "low";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_grouped_products = {
    .id = "grouped_products",
    .summary = "Convolutions in groups too narrow for the width kernels compute in.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Measured,
    .check = check_grouped_products,
};

}  // namespace hone
