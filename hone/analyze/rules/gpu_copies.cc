#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/gpu_run.h"

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

// One way, in a run of Hone's own: on the GPU, and what the host moves for it.
struct OwnCopies {
  double gpu_us = 0;
  double host_us = 0;
  uint64_t bytes = 0;
  double us() const { return gpu_us + host_us; }
};

OwnCopies own_copies(const GpuTimeline& gpu, std::string_view way, std::string_view host) {
  OwnCopies copies;
  for (const GpuCost& cost : gpu.copies) {
    if (!cost.what.starts_with(way)) continue;
    copies.gpu_us += cost.us;
    copies.bytes += cost.bytes;
  }
  for (const GpuCost& cost : gpu.host_work) {
    if (cost.what == host) copies.host_us += cost.us;
  }
  return copies;
}

void tell_of_own_copies(const Evidence& in, const OwnCopies& copies, bool outputs,
                        std::vector<Finding>& out) {
  // Outputs can be made small before they are copied, floats that come in only half as long.
  const double gain = outputs ? copies.us() : copies.us() / 2;
  if (gain < kGpuCopiesWorthIt * in.run_us()) return;
  Finding finding;
  finding.title = str(outputs ? "outputs of " : "inputs of ", human_bytes(copies.bytes),
                      outputs ? " come back from" : " go to",
                      " the GPU: ", share_of_run(in, copies.us()), " of the run");
  finding.evidence = {time_evidence("copies", copies.gpu_us),
                      time_evidence("host", copies.host_us),
                      time_evidence("gpu_busy", in.profile.gpu->busy_us),
                      {.name = "bytes",
                       .value = static_cast<double>(copies.bytes),
                       .unit = "B",
                       .mode = Mode::Exact}};
  finding.fix = outputs ? "give less back: what is read of it (a mean, the best few, a smaller "
                          "image), computed on the GPU, or narrower numbers"
                        : "give the inputs in 16 bits, or smaller, and let the GPU make of them "
                          "what the network needs";
  finding.gain = predicted_gain(gain, 1.3);
  finding.formula = str(outputs ? "all" : "half", " of ", fixed(copies.gpu_us, 1),
                        " us that the copies take and ", fixed(copies.host_us, 1),
                        " us in which the host moves ", outputs ? "outputs" : "inputs");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

void check_gpu_copies(const Evidence& in, std::vector<Finding>& out) {
  if (is_own_gpu_run(in.profile)) {
    const GpuTimeline& own = *in.profile.gpu;
    tell_of_own_copies(in, own_copies(own, "HtoD", kBindingInputs), false, out);
    tell_of_own_copies(in, own_copies(own, "DtoH", kGivingOutputs), true, out);
    return;
  }
  const GpuTimeline& gpu = *in.profile.gpu;
  std::vector<size_t> steps = copying_steps(in, "HtoD");
  for (const size_t s : copying_steps(in, "DtoH")) steps.push_back(s);
  // What runs beside kernels costs nothing.
  const double copies = alone_us(in, steps);
  const double hidden = covered_us(in, steps) - copies;
  const double gain = std::min(copies + gpu.copying_us, gpu.run_us);
  if (gain < kGpuCopiesWorthIt * in.run_us()) return;
  const std::string pageable = pageable_text(gpu.copies);
  Finding finding;
  finding.title =
      str("copies between host and GPU take ", share_of_run(in, gain), " of the run", pageable);
  finding.evidence = {
      time_evidence("copies", copies), time_evidence("copies_beside_kernels", hidden),
      time_evidence("idle_copying", gpu.copying_us), time_evidence("gpu_busy", gpu.busy_us)};
  for (const GpuCost& copy : gpu.copies) {
    finding.evidence.push_back({.name = copy.what,
                                .value = static_cast<double>(copy.bytes),
                                .unit = "B",
                                .mode = Mode::Exact});
  }
  finding.steps = std::move(steps);
  finding.fix = str("keep on the GPU what does not change, and copy the rest beside the kernels: ",
                    pageable.empty() ? "" : "out of pinned memory, ",
                    "without blocking, on a stream of its own");
  finding.gain = predicted_gain(gain, 1.3);
  finding.formula =
      str(fixed(copies, 0), " us that the copies take",
          hidden >= 0.5 ? str(" beside no kernel (", fixed(hidden, 0), " us are)") : "", " + ",
          fixed(gpu.copying_us, 0), " us in which the GPU waits for the host to feed them");
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
