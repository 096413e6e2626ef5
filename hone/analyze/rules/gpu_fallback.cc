#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Of a kernel that does little: what the step would take on the GPU at least.
constexpr double kKernelUs = 2.5;

// Of the copies, what is neither an input nor an output of the model: it goes out to the host and
// back in.
double crossing_us(const Evidence& in) {
  uint64_t own = 0;
  for (const auto& values : {in.graph->inputs(), in.graph->outputs()}) {
    for (const Value* value : values) {
      const TensorType& type = value->type.tensor;
      if (value->type.is_tensor() && type.known()) own += type.bytes();
    }
  }
  uint64_t all = 0;
  for (const GpuCost& copy : in.profile.gpu->copies) all += copy.bytes;
  if (all <= own) return 0;
  return sum_us(in.profile.gpu->copies) * static_cast<double>(all - own) / static_cast<double>(all);
}

// What starting and waiting for the GPU once more takes, for every time that it goes on behind the
// host: of what is neither kernels, copies nor the host's steps, one part for each start.
double starting_us(const Evidence& in) {
  double kernels = 0;
  double starts = 0;
  bool on_host = true;
  for (const StepProfile& step : in.profile.steps) {
    kernels += step.kind.on_host ? 0 : step.us;
    starts += on_host && !step.kind.on_host ? 1 : 0;
    on_host = step.kind.on_host;
  }
  const GpuTimeline& gpu = *in.profile.gpu;
  const double between = std::max(0.0, gpu.busy_us - sum_us(gpu.copies) - kernels);
  return starts < 2 ? 0 : (between + gpu.launching_us) * (starts - 1) / starts;
}

void check_gpu_fallback(const Evidence& in, std::vector<Finding>& out) {
  if (in.graph == nullptr) return;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) { return in.step(s).kind.on_host; });
  if (steps.empty()) return;
  const double host = sum_us(in, steps);
  const double crossing = crossing_us(in);
  const double starting = starting_us(in);
  const double kernels = kKernelUs * static_cast<double>(steps.size());
  std::vector<std::string> names;
  for (const size_t s : steps) {
    if (std::ranges::find(names, in.step(s).op) == names.end()) names.push_back(in.step(s).op);
  }
  Finding finding;
  finding.title = str(count_of(steps.size(), "step"), " on the host (",
                      share_of_run(in, host + crossing + starting),
                      " of the run with the copies there and back): no kernel takes ", join(names));
  finding.evidence = {time_evidence("host", host), time_evidence("copies", crossing),
                      time_evidence("starting", starting),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  finding.fix = "say it with operators that the GPU's kernels take, or put it behind the network";
  finding.gain = predicted_gain(std::max(0.0, host + crossing + starting - kernels), 1.5);
  finding.formula = str(fixed(host, 1), " us on the host + ", fixed(crossing, 1),
                        " us of copies + ", fixed(starting, 1), " us to start the GPU again, less ",
                        fixed(kernels, 1), " us as kernels");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_fallback = {
    .id = "gpu_fallback",
    .summary =
        "Operators that the cuda target leaves to its host, with their copies and their price.",
    .bound = Bound::Fallback,
    .on = RuleFor::Gpu,
    .check = check_gpu_fallback,
};

}  // namespace hone
