#include <algorithm>
#include <map>
#include "hone/analyze/activation_cost.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_expensive_activation(const Evidence& in, std::vector<Finding>& out) {
  std::map<std::string, std::vector<size_t>> by_name;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    const std::string name = activation_of(*in.nodes[s]);
    if (!cheaper_activation(name).empty() && in.step(s).kind.precision == Arithmetic::Fp32)
      by_name[name].push_back(s);
  }
  for (const auto& [name, steps] : by_name) {
    const std::string cheap = cheaper_activation(name);
    double elements = 0;
    for (const size_t s : steps) elements += static_cast<double>(in.step(s).written_bytes) / 4;
    const double saved = activation_ns(name) - activation_ns(cheap);
    const double us = elements * saved * 1e-3 / std::max(1, in.profile.threads);
    Finding finding;
    finding.title =
        str(name, " in ", count_of(steps.size(), "step"), " costs ", fixed(activation_ns(name), 2),
            " ns an element; ", cheap, " costs ", fixed(activation_ns(cheap), 2));
    finding.evidence = {count_evidence("elements", elements),
                        {.name = "saved_per_element", .value = saved, .unit = "ns"}};
    finding.steps = steps;
    finding.part = name;
    finding.fix = str("train with ", cheap, " instead, or fine-tune after replacing it");
    finding.gain = predicted_gain(us, 1.3);
    finding.formula = str(human_count(static_cast<int64_t>(elements)), " elements x ",
                          fixed(saved, 2), " ns, measured here on the kernels themselves");
    finding.confidence = "high";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_expensive_activation = {
    .id = "expensive_activation",
    .summary = "Swish, GELU, tanh and the like, priced against their hard variants.",
    .bound = Bound::Compute,
    .on = RuleFor::Measured,
    .check = check_expensive_activation,
};

}  // namespace hone
