#include <algorithm>
#include <cctype>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// As the file has it: "acme.SwishBeta".
std::string custom_name(const Node& node) {
  const auto* domain = node.find_attr<std::string>("domain");
  const auto* type = node.find_attr<std::string>("op_type");
  if (node.op != "custom" || type == nullptr) return "";
  return domain == nullptr || domain->empty() ? *type : str(*domain, ".", *type);
}

// "acme.HardSwish" and "hard_swish" are "hardswish".
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(name.rfind('.') + 1)) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

double elements_of(const Node& node) {
  const TensorType& type = node.outputs[0]->type.tensor;
  return type.known() ? static_cast<double>(type.elements()) : 0;
}

void add_used(const Evidence& in, const NpuOperator& op, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return !in.step(s).kind.on_host && custom_name(*in.nodes[s]) == op.name;
  });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "step"), " of ", op.name,
          ", an operator of this device alone, take ", share_of_run(in, us), " of the run");
  finding.evidence = {time_evidence("time", us)};
  finding.steps = steps;
  finding.fix = str("nothing, if the model stays on ", in.profile.target,
                    "; other devices need it spelled out: ", op.expression);
  finding.gain = unavailable("gain", "ms", "it is there to save time");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

// Whether a layer of the file that the step stands for has the operator's name: it may have become
// a table by now.
bool stands_for(const Evidence& in, size_t s, const NpuOperator& op) {
  return std::ranges::any_of(in.step(s).sources, [&](size_t source) {
    return plain(in.profile.sources[source].op) == plain(op.name);
  });
}

void add_missed(const Evidence& in, const NpuSpec& npu, const NpuOperator& op,
                std::vector<Finding>& out) {
  for (const HostIsland& island : host_islands(in, npu)) {
    const auto step =
        std::ranges::find_if(island.steps, [&](size_t s) { return stands_for(in, s, op); });
    if (step == island.steps.end()) continue;
    const double on_npu = npu.us(op.cycles_per_element * elements_of(*in.nodes[*step]));
    const double us = island.host_us + island.border_us;
    Finding finding;
    finding.title =
        str("'", short_name(in.step(*step).name), "' runs on the host (", share_of_run(in, us),
            " of the run with its neighbours); the device has ", op.name);
    finding.evidence = {time_evidence("host", island.host_us),
                        time_evidence("border", island.border_us)};
    finding.steps = island.steps;
    finding.fix = str("export the model with ", op.name, ": ", op.expression);
    finding.gain = predicted_gain(std::max(0.0, us - on_npu), 1.3);
    finding.formula = str(fixed(island.host_us, 1), " us on the host + ",
                          fixed(island.border_us, 1), " us to hand over and move, less ",
                          fixed(on_npu, 1), " us at ", op.cycles_per_element, " cycles an element");
    finding.confidence = "low";
    out.push_back(std::move(finding));
  }
}

void check_npu_proprietary(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device || in.nodes.empty()) return;
  for (const NpuOperator& op : device->npu()->operators) {
    add_used(in, op, out);
    add_missed(in, *device->npu(), op, out);
  }
}

}  // namespace

extern const RuleDef rule_npu_proprietary = {
    .id = "npu_proprietary",
    .summary = "Operators that a device's file adds: where they are used, and where they are not.",
    .bound = Bound::Fallback,
    .on = RuleFor::Npu,
    .check = check_npu_proprietary,
};

}  // namespace hone
