#include "hone/quantize/fit_target.h"

#include <algorithm>

#include "hone/base/text.h"

namespace hone {
namespace {

void fit_scheme(Scheme& scheme, const IntegerSupport& integers, std::string_view target,
                std::vector<std::string>& notes) {
  if (!scheme.quantizes_activations()) return;
  const auto& types = integers.activations;
  if (std::ranges::find(types, scheme.activations) == types.end() && !types.empty()) {
    notes.push_back(
        str(name_of(types[0]), " activations: ", target, " has no ", name_of(scheme.activations)));
    scheme.activations = types[0];
  }
  if (scheme.per_channel && !integers.per_channel) {
    scheme.per_channel = false;
    notes.push_back(str("one weight scale per tensor: ", target,
                        " computes no layers with scales per channel on integers"));
  }
  if (!scheme.symmetric && !integers.zero_points) {
    scheme.symmetric = true;
    notes.push_back(str("no zero points: ", target, " has none"));
  }
  if (!scheme.power_of_two && integers.power_of_two) {
    scheme.power_of_two = true;
    notes.push_back(str("scales of 2^n: ", target, " rescales by shifts"));
  }
}

}  // namespace

std::vector<std::string> fit_to_target(QuantizePlan& plan, const TargetDef& target) {
  std::vector<std::string> notes;
  if (target.integers == nullptr) {
    notes.push_back(str("target ", target.name, " has no integer path of its own to fit"));
    return notes;
  }
  fit_scheme(plan.scheme, *target.integers, target.name, notes);
  if (!plan.op_types.empty() || !plan.scheme.quantizes_activations()) return notes;
  plan.op_types.assign(target.integers->ops.begin(), target.integers->ops.end());
  plan.functions = target.integers->tables;
  notes.push_back(str(target.name, " computes ", join(target.integers->ops), " on integers",
                      target.integers->tables ? ", and functions of one value by tables" : "",
                      "; other operators stay float"));
  return notes;
}

}  // namespace hone
