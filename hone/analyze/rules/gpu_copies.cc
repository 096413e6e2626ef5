#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuCopiesWorthIt = 0.05;  // Part of the run.

// "256.0 MiB of them out of pageable memory, at 8.5 GB/s".
std::string pageable_text(const std::vector<GpuCost>& copies) {
  double us = 0;
  uint64_t bytes = 0;
  for (const GpuCost& copy : copies) {
    if (copy.what.find("pageable") == std::string::npos) continue;
    us += copy.us;
    bytes += copy.bytes;
  }
  if (bytes == 0 || us == 0) return "";
  return str(", ", human_bytes(bytes), " of pageable memory at ",
             fixed(static_cast<double>(bytes) / us * 1e-3, 1), " GB/s");
}

void check_gpu_copies(const Evidence& in, std::vector<Finding>& out) {
  if (!in.profile.gpu) return;
  const GpuTimeline& gpu = *in.profile.gpu;
  const double copies = sum_us(gpu.copies);
  const double gain = std::min(copies + gpu.copying_us, gpu.run_us);
  if (gain < kGpuCopiesWorthIt * in.run_us()) return;
  const std::string pageable = pageable_text(gpu.copies);
  Finding finding;
  finding.title =
      str("copies between host and GPU take ", share_of_run(in, gain), " of the run", pageable);
  finding.evidence = {time_evidence("copies", copies),
                      time_evidence("idle_copying", gpu.copying_us),
                      time_evidence("gpu_busy", gpu.busy_us)};
  for (const GpuCost& copy : gpu.copies) {
    finding.evidence.push_back({.name = copy.what,
                                .value = static_cast<double>(copy.bytes),
                                .unit = "B",
                                .mode = Mode::Exact});
  }
  finding.steps = copying_steps(in, "HtoD");
  for (const size_t s : copying_steps(in, "DtoH")) finding.steps.push_back(s);
  finding.fix = str("keep on the GPU what does not change, and copy the rest beside the kernels: ",
                    pageable.empty() ? "" : "out of pinned memory, ",
                    "without blocking, on a stream of its own");
  finding.gain = predicted_gain(gain, 1.3);
  finding.formula = str(fixed(copies, 0), " us that the copies take + ", fixed(gpu.copying_us, 0),
                        " us in which the GPU waits for the host to feed them");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_copies = {
    .id = "gpu_copies",
    .summary = "Copies between host and GPU in the loop, and whether out of pageable memory.",
    .bound = Bound::Transfer,
    .on = RuleFor::Gpu,
    .check = check_gpu_copies,
};

}  // namespace hone
