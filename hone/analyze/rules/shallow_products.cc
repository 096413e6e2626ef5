#include <algorithm>
#include <optional>

#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kShallowProductsUsual = 0.8;  // Of the roof, that products of some depth reach.
constexpr double kDeepEnough = 32;             // Products for each output.

// Products summed for each output; none for a step that is no such product or does well.
std::optional<double> shallow_depth(const Evidence& in, const StepProfile& step) {
  if (step.macs == 0 || !step.roof_us || step.written_bytes == 0) return std::nullopt;
  // Other tools do not say how they compute.
  const StepFamily family = step.kind.family;
  const bool product = in.profile.tool == "hone"
                           ? family == StepFamily::Product || family == StepFamily::Recurrent
                           : family != StepFamily::Depthwise;
  if (!product) return std::nullopt;
  const auto outputs =
      static_cast<double>(step.written_bytes) / bytes_per_element(name_of(step.kind.precision));
  const double depth = static_cast<double>(step.macs) / outputs;
  if (depth >= kDeepEnough || *step.roof_us > 0.5 * step.us) return std::nullopt;
  return depth;
}

// "'a', 'b' and 3 more".
std::string names_of_shallow(const Evidence& in, const std::vector<size_t>& steps) {
  constexpr size_t kShown = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < steps.size() && i < kShown; ++i) {
    names.push_back(str("'", short_name(in.step(steps[i]).name), "'"));
  }
  const size_t more = steps.size() - names.size();
  return more == 0 ? join(names) : str(join(names), " and ", more, " more");
}

void check_shallow_products(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return shallow_depth(in, in.step(s)).has_value(); });
  if (steps.empty()) return;
  double roof = 0, reachable = 0, least = kDeepEnough, most = 0;
  for (const size_t s : steps) {
    const StepProfile& step = in.step(s);
    const double depth = *shallow_depth(in, step);
    roof += *step.roof_us;
    reachable += std::min(step.us, *step.roof_us / kShallowProductsUsual);
    least = std::min(least, depth);
    most = std::max(most, depth);
  }
  const double us = sum_us(in, steps);
  const std::string depths = fixed(least, 0) == fixed(most, 0)
                                 ? fixed(most, 0)
                                 : str(fixed(least, 0), " to ", fixed(most, 0));
  Finding finding;
  finding.title = str(names_of_shallow(in, steps), steps.size() == 1 ? " sums" : " sum", " over ",
                      depths, " products only and ", steps.size() == 1 ? "reaches " : "reach ",
                      fixed(100 * roof / us, 0), " % of the roof");
  finding.evidence = {time_evidence("time", us), time_evidence("roof", roof),
                      count_evidence("least_depth", least), count_evidence("most_depth", most)};
  finding.steps = steps;
  finding.fix =
      "fold space into channels in front of it (space_to_depth), or merge it with the next";
  if (steps.size() > 1) {
    finding.fix =
        "fold space into channels in front of them (space_to_depth), or merge each with the next";
  }
  finding.gain = predicted_gain(us - reachable, 1.5);
  finding.formula =
      str(fixed(us, 1), " us now, less ", fixed(reachable, 1), " us at 80 % of the roof");
  finding.confidence = "low";
  out.push_back(std::move(finding));
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
