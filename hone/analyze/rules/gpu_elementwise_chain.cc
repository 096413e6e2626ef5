#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuChainsWorthIt = 0.03;  // Part of the run.

// All chains of a run together. Kernels of the same extents would be one, about as long as the
// longest of them; where extents are not told, only two neighbours at a time are taken to be so.
struct GpuChains {
  std::vector<size_t> steps;
  size_t count = 0;
  size_t kernels = 0;
  double us = 0;
  double fused_us = 0;
  bool extents_told = true;  // Of all.
};

bool is_one_pass(const StepProfile& step) {
  return step.kind.family == StepFamily::Elementwise || step.kind.family == StepFamily::Conversion;
}

void add_chain(const Evidence& in, const std::vector<TimelineEvent>& chain, GpuChains& chains) {
  if (chain.size() < 2) return;
  ++chains.count;
  const bool told = std::ranges::none_of(
      chain, [&](const TimelineEvent& event) { return in.step(event.step).output.empty(); });
  chains.extents_told = chains.extents_told && told;
  double longest = 0;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (!told && i % 2 == 0) {
      chains.fused_us += longest;
      longest = 0;
    }
    chains.us += chain[i].us;
    longest = std::max(longest, chain[i].us);
    chains.steps.push_back(chain[i].step);
  }
  chains.kernels += chain.size();
  chains.fused_us += longest;
}

// "[64,1024]" of "f32[64,1024]".
std::string_view extents_of(const StepProfile& step) {
  const std::string_view output = step.output;
  return output.substr(std::min(output.find('['), output.size()));
}

// Tensors of other extents are no operands of one pass.
bool may_be_one_pass(const StepProfile& a, const StepProfile& b) {
  return a.output.empty() || b.output.empty() || extents_of(a) == extents_of(b);
}

// What changes a tensor where it lies ("aten::add_") and comes again is of another tensor: so an
// optimizer goes over parameters of equal extents, which no pass could do at once.
bool begins_again(const Evidence& in, const std::vector<TimelineEvent>& chain,
                  const StepProfile& step) {
  return step.op.ends_with('_') && std::ranges::any_of(chain, [&](const TimelineEvent& event) {
           return in.step(event.step).op == step.op;
         });
}

GpuChains chains_of(const Evidence& in) {
  GpuChains chains;
  std::vector<TimelineEvent> chain;
  for (const TimelineEvent& event : in.profile.timeline) {
    if (!event.what.empty()) continue;  // The GPU is idle.
    const StepProfile& step = in.step(event.step);
    const bool goes_on = is_one_pass(step) && !begins_again(in, chain, step) &&
                         (chain.empty() || (chain.back().thread == event.thread &&
                                            may_be_one_pass(in.step(chain.back().step), step)));
    if (!goes_on) {
      add_chain(in, chain, chains);
      chain.clear();
    }
    if (is_one_pass(step)) chain.push_back(event);
  }
  add_chain(in, chain, chains);
  std::ranges::sort(chains.steps);
  chains.steps.erase(std::ranges::unique(chains.steps).begin(), chains.steps.end());
  return chains;
}

void check_gpu_elementwise_chain(const Evidence& in, std::vector<Finding>& out) {
  // Kernels that were measured one by one need not have followed each other.
  if (in.profile.gpu->run_us == 0) return;
  GpuChains chains = chains_of(in);
  const double gain = chains.us - chains.fused_us;
  if (gain < kGpuChainsWorthIt * in.run_us()) return;
  Finding finding;
  finding.title =
      str(chains.kernels, " element-wise kernels in ", chains.count,
          chains.count == 1 ? " chain" : " chains", " take ", share_of_run(in, chains.us),
          " of the run; ",
          chains.extents_told ? "one pass each would do" : "neighbours could share a pass");
  finding.evidence = {time_evidence("time", chains.us), time_evidence("fused", chains.fused_us),
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
  finding.formula =
      str(fixed(chains.us, 0), " us now, less ", fixed(chains.fused_us, 0), " us for one pass ",
          chains.extents_told ? "as long as the longest of each chain"
                              : "for every two neighbours whose extents are not told, as long as "
                                "the longer of them");
  finding.confidence = chains.extents_told ? "medium" : "low";
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
