#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kWeightBoundWorthIt = 1;  // Microseconds.

void check_weight_bound(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const StepProfile& step = in.step(s);
    const auto elements =
        static_cast<double>(step.weight_bytes) / bytes_per_element(name_of(step.kind.precision));
    const bool once = step.macs > 0 && static_cast<double>(step.macs) < 2 * elements;
    return once && step.kind.precision == Arithmetic::Fp32 && step.us > kWeightBoundWorthIt;
  });
  if (steps.empty()) return;
  // Halves for these layers are halves for all of the network, which may lose more than they gain.
  const bool has_fp16 =
      in.device.kernel_reach("product", "fp16").has_value() && saved_in_precision(in, "fp16") > 0;
  double us = 0;
  uint64_t bytes = 0;
  double narrow = 0;
  for (const size_t s : steps) {
    us += in.step(s).us;
    bytes += in.step(s).weight_bytes;
    narrow += time_in_precision(in, s, has_fp16 ? "fp16" : "int8");
  }
  if (narrow >= us) return;
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " read ", human_bytes(bytes),
                      " of weights to use each once: ", share_of_run(in, us), " of the run");
  finding.evidence = {
      time_evidence("time", us),
      {.name = "weights", .value = static_cast<double>(bytes), .unit = "B", .mode = Mode::Exact},
      {.name = "rate", .value = static_cast<double>(bytes) / us * 1e-3, .unit = "GB/s"}};
  finding.steps = steps;
  finding.fix = has_fp16
                    ? "store the weights in 16 bits, or in 8, or run several inputs as one batch"
                    : "quantize these layers, or run several inputs as one batch";
  if (has_fp16) finding.hint = {HintKind::Precision, "fp16"};
  finding.gain = predicted_gain(us - narrow, 1.3);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(narrow, 1), " us with ",
                        has_fp16 ? "half" : "a quarter of", " the bytes");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_weight_bound = {
    .id = "weight_bound",
    .summary = "Layers that use every weight once and wait for memory to bring them.",
    .bound = Bound::Memory,
    .on = RuleFor::Measured,
    .check = check_weight_bound,
};

}  // namespace hone
