#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuCommunicationWorthIt = 0.05;  // Part of the run.

// "c10d::allreduce_": who communicates, the first few.
std::string communicating_operators(const Evidence& in, const std::vector<size_t>& steps) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> names;
  for (const size_t s : steps) {
    const StepProfile& step = in.step(s);
    const std::string& name = step.op.empty() || step.op == "kernel" ? step.kind.work : step.op;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.size() > kNamed) names.resize(kNamed);
  return join(names);
}

// What runs beside kernels that compute costs nothing, so that no more can be hidden than they take.
void check_gpu_communication(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps = steps_where(
      in, [&](size_t s) { return in.step(s).kind.family == StepFamily::Communication; });
  if (steps.empty()) return;
  const double us = covered_us(in, steps);
  const double alone = alone_us(in, steps);
  if (alone < kGpuCommunicationWorthIt * in.run_us()) return;
  const double computing = covered_us(in, other_steps(in, steps)) - (us - alone);
  Finding finding;
  finding.title = str("GPUs exchange data ", share_of_run(in, us), " of the run (",
                      communicating_operators(in, steps), "), ", share_of_run(in, alone),
                      " while this one computes nothing");
  finding.evidence = {time_evidence("communication", us), time_evidence("alone", alone),
                      time_evidence("computing", computing),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  finding.fix =
      "let it run beside the computing (DistributedDataParallel starts it while gradients are "
      "still computed; in larger buckets, bucket_cap_mb, it starts less often), send less (16 "
      "bits, or several batches for one exchange), or use fewer GPUs; time in which this GPU waits "
      "for the slowest one counts here, too: compare their traces";
  const double gain = std::min(alone, computing);
  finding.gain = predicted_gain(gain, 2);
  finding.gain.high = 1e-3 * alone;
  finding.formula = str("the shorter of ", fixed(alone, 0),
                        " us in which only data is exchanged and ", fixed(computing, 0),
                        " us of computing that could hide it; at most all of it, where nothing is "
                        "exchanged");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_communication = {
    .id = "gpu_communication",
    .summary = "GPUs exchange data (NCCL) while they compute nothing.",
    .bound = Bound::Transfer,
    .on = RuleFor::Gpu,
    .check = check_gpu_communication,
};

}  // namespace hone
