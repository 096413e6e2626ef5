#include <map>
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// What plain kernels reach of the roof for work that streams.
constexpr double kKernelOfRoof = 1.0 / 3;

using StepsByName = std::map<std::string, std::vector<size_t>>;

// What `steps` of `what` would gain with a kernel, or with a faster one.
Finding with_a_kernel(const Evidence& in, const std::string& what, std::vector<size_t> steps,
                      const char* how) {
  const double us = sum_us(in, steps);
  double with_kernel = 0;
  for (const size_t s : steps) with_kernel += in.step(s).roof_us.value_or(0) / kKernelOfRoof;
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "step"), " of ", what, steps.size() == 1 ? " runs " : " run ", how,
          steps.size() == 1 ? " and takes " : " and take ", share_of_run(in, us), " of the run");
  finding.evidence = {time_evidence("time", us), time_evidence("with_a_kernel", with_kernel)};
  finding.steps = std::move(steps);
  finding.gain = predicted_gain(us - std::min(us, with_kernel), 1.3);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(with_kernel, 1),
                        " us for a kernel at a third of the machine's roof");
  finding.confidence = "medium";
  return finding;
}

void check_reference_steps(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.target == "ref") return;
  StepsByName without_kernel, plain;
  for (size_t s = 0; s < in.steps(); ++s) {
    const StepProfile& step = in.step(s);
    if (step.kind.reference) without_kernel[step.op].push_back(s);
    if (runs_plain_kernel(step.kind)) plain[step.kind.work].push_back(s);
  }
  for (auto& [op, steps] : without_kernel) {
    Finding finding = with_a_kernel(in, op, steps, "through the reference");
    finding.fix = str("target ", in.profile.target, " has no kernel for this form of ", op, " (",
                      in.step(steps[0]).output,
                      "): say it with operators that have one, or leave it out of the model");
    out.push_back(std::move(finding));
  }
  for (auto& [work, steps] : plain) {
    Finding finding = with_a_kernel(in, work, steps, "by its plain kernel");
    finding.fix =
        "the CPU has, or is left, no features for a faster one: compute in a precision that has "
        "one";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_reference_steps = {
    .id = "reference_steps",
    .summary = "Steps that no kernel took, or only the plain one that every CPU runs.",
    .bound = Bound::Fallback,
    .on = RuleFor::Measured,
    .check = check_reference_steps,
};

}  // namespace hone
