#include <map>
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// What plain kernels reach of the roof for work that streams.
constexpr double kKernelOfRoof = 1.0 / 3;

void check_reference_steps(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.target == "ref") return;
  std::map<std::string, std::vector<size_t>> by_op;
  for (size_t s = 0; s < in.steps(); ++s) {
    if (in.step(s).kind.reference) by_op[in.step(s).op].push_back(s);
  }
  for (auto& [op, steps] : by_op) {
    const double us = sum_us(in, steps);
    double with_kernel = 0;
    for (const size_t s : steps) with_kernel += in.step(s).roof_us.value_or(0) / kKernelOfRoof;
    Finding finding;
    finding.title =
        str(count_of(steps.size(), "step"), " of ", op, " run through the reference and take ",
            share_of_run(in, us), " of the run");
    finding.evidence = {time_evidence("time", us), time_evidence("with_a_kernel", with_kernel)};
    finding.steps = steps;
    finding.fix = str("target ", in.profile.target, " has no kernel for this form of ", op, " (",
                      in.step(steps[0]).output,
                      "): say it with operators that have one, or leave it out of the model");
    finding.gain = predicted_gain(us - std::min(us, with_kernel), 1.3);
    finding.formula = str(fixed(us, 1), " us now, less ", fixed(with_kernel, 1),
                          " us for a kernel at a third of the machine's roof");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_reference_steps = {
    .id = "reference_steps",
    .summary = "Steps that no kernel took run through the slow reference of their operator.",
    .bound = Bound::Fallback,
    .on = RuleFor::Measured,
    .check = check_reference_steps,
};

}  // namespace hone
