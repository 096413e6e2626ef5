#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuChainsWorthIt = 0.03;  // Part of the run.

// All chains of a run together: each would be one kernel, about as long as the longest in it.
struct GpuChains {
  std::vector<size_t> steps;
  size_t count = 0;
  size_t kernels = 0;
  double us = 0;
  double longest_us = 0;
};

bool is_one_pass(const StepProfile& step) {
  return step.kind.family == StepFamily::Elementwise || step.kind.family == StepFamily::Conversion;
}

void add_chain(const std::vector<TimelineEvent>& chain, GpuChains& chains) {
  if (chain.size() < 2) return;
  ++chains.count;
  double longest = 0;
  for (const TimelineEvent& event : chain) {
    chains.us += event.us;
    longest = std::max(longest, event.us);
    chains.steps.push_back(event.step);
  }
  chains.kernels += chain.size();
  chains.longest_us += longest;
}

GpuChains chains_of(const Evidence& in) {
  GpuChains chains;
  std::vector<TimelineEvent> chain;
  for (const TimelineEvent& event : in.profile.timeline) {
    if (!event.what.empty()) continue;  // The GPU is idle.
    const bool goes_on =
        is_one_pass(in.step(event.step)) && (chain.empty() || chain.back().thread == event.thread);
    if (!goes_on) {
      add_chain(chain, chains);
      chain.clear();
    }
    if (is_one_pass(in.step(event.step))) chain.push_back(event);
  }
  add_chain(chain, chains);
  std::ranges::sort(chains.steps);
  chains.steps.erase(std::ranges::unique(chains.steps).begin(), chains.steps.end());
  return chains;
}

void check_gpu_elementwise_chain(const Evidence& in, std::vector<Finding>& out) {
  // Kernels that were measured one by one need not have followed each other.
  if (in.profile.gpu->run_us == 0) return;
  GpuChains chains = chains_of(in);
  const double gain = chains.us - chains.longest_us;
  if (gain < kGpuChainsWorthIt * in.run_us()) return;
  Finding finding;
  finding.title = str(chains.kernels, " element-wise kernels in ", chains.count,
                      chains.count == 1 ? " chain" : " chains", " take ",
                      share_of_run(in, chains.us), " of the run; one pass each would do");
  finding.evidence = {time_evidence("time", chains.us),
                      time_evidence("longest_of_each", chains.longest_us),
                      count_evidence("kernels", static_cast<double>(chains.kernels)),
                      count_evidence("chains", static_cast<double>(chains.count))};
  finding.steps = std::move(chains.steps);
  finding.fix = is_own_gpu_run(in.profile)
                    ? "say them as one operator, or let nothing else read "
                      "what lies between them: then one kernel computes all"
                    : "fuse them (torch.compile does), and fold batch norms of a network that is "
                      "not trained into "
                      "its convolutions (torch.nn.utils.fusion.fuse_conv_bn_eval)";
  finding.gain = predicted_gain(gain, 1.5);
  finding.formula = str(fixed(chains.us, 0), " us now, less ", fixed(chains.longest_us, 0),
                        " us for one pass as long as the longest of each chain");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_elementwise_chain = {
    .id = "gpu_elementwise_chain",
    .summary = "Element-wise kernels of a GPU in a row that one kernel could do in one pass.",
    .bound = Bound::Memory,
    .on = RuleFor::Gpu,
    .check = check_gpu_elementwise_chain,
};

}  // namespace hone
