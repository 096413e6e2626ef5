#include <algorithm>
#include <set>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// What vectors take where there are kernels of them: tables 8 packets of 128 bytes, depthwise layers a packet of 18
// multiply-adds (mobilenet_v2, emulated).
constexpr double kPacketsOfVector = 8;
constexpr double kMacsOfPacket = 18;

double packets_by_vectors(const StepProfile& step) {
  const auto bytes = static_cast<double>(std::max(step.read_bytes, step.written_bytes));
  return kPacketsOfVector * bytes / 128 + static_cast<double>(step.macs) / kMacsOfPacket;
}

void check_dsp_scalar_loops(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_scalar_code(in, s); });
  const double us = sum_us(in, steps);
  if (us <= 0) return;
  double reachable = 0;
  std::set<std::string> ops;
  for (const size_t s : steps) {
    const double part = packets_by_vectors(in.step(s)) / packets_of(in, s);
    reachable += in.step(s).us * std::min(1.0, part);
    ops.insert(in.step(s).op);
  }
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " (", share_of_run(in, us),
                      " of the run) by scalar code: ", join(ops));
  finding.evidence = {
      time_evidence("time", us), emulated_evidence("packets", dsp_count(in, steps, "packets")),
      emulated_evidence("vector_instructions", dsp_count(in, steps, "vector_instructions"))};
  finding.steps = steps;
  finding.fix =
      "give them a form that has a kernel of vectors: inputs as nhwc where a transpose is in "
      "front, at most 16 groups of channels, "
      "factors below 1/2, functions of one value as tables; or leave them to the caller";
  finding.gain = predicted_gain(us - reachable, 2);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(reachable, 1),
                        " us at 8 packets for 128 bytes and 18 multiply-adds a packet");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_scalar_loops = {
    .id = "dsp_scalar_loops",
    .summary = "Layers that a DSP with vectors runs by scalar code.",
    .bound = Bound::Fallback,
    .on = RuleFor::Dsp,
    .check = check_dsp_scalar_loops,
};

}  // namespace hone
