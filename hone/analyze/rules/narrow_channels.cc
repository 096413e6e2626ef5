#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// A quarter of a tile over a multiple; with more the tile is not wasted.
constexpr int64_t kFewParts = 4;

void check_narrow_channels(const Evidence& in, std::vector<Finding>& out) {
  for (size_t s = 0; s < in.steps(); ++s) {
    const StepProfile& step = in.step(s);
    const int64_t width = step.kind.tile_columns;
    if (step.macs == 0 || width == 0 || in.nodes.empty()) continue;
    const TensorType& type = in.nodes[s]->outputs[0]->type.tensor;
    if (!type.known() || type.shape.empty()) continue;
    const int64_t channels = type.shape.back();
    const int64_t over = channels % width;
    if (over == 0 || over > width / kFewParts || channels < width) continue;
    const auto fewer = static_cast<double>(channels - over);
    const double computed = fewer + step.kind.partial_tile * static_cast<double>(width);
    const double us = step.us * (1 - fewer / computed);
    Finding finding;
    finding.title = str("'", short_name(step.name), "' has ", channels,
                        " output channels, which cost as much as ", fixed(computed, 0));
    finding.evidence = {time_evidence("time", step.us),
                        count_evidence("channels", static_cast<double>(channels)),
                        count_evidence("paid_for", computed)};
    finding.steps = {s};
    finding.fix = str("give it ", channels - over, " channels, a multiple of ", width);
    finding.gain = predicted_gain(us, 1.3);
    finding.formula =
        str(fixed(step.us, 1), " us x (1 - ", channels - over, " / ", fixed(computed, 1), ")");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_narrow_channels = {
    .id = "narrow_channels",
    .summary = "Channel counts just above a multiple of the width kernels compute in.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Measured,
    .check = check_narrow_channels,
};

}  // namespace hone
