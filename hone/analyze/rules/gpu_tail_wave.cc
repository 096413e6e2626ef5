#include <cmath>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuTailWorthIt = 0.02;  // Part of the run.
// Blocks of later waves begin as those of earlier ones end, at different times: with many waves the
// last one is lost among them.
constexpr double kMostWavesWithTail = 5;

// The last wave of blocks takes as long as a whole one, however few they are.
double tail_part(double waves) {
  if (waves <= 1 || waves > kMostWavesWithTail) return 0;
  return 1 - waves / std::ceil(waves);
}

// Of Hone's own kernels the blocks are known. Those that a multiprocessor has at once share its cores,
// so that the last wave takes no longer than the blocks that are left to it: 536 blocks, of which an
// H200 has 528 at once and 4 on each multiprocessor, take 1.22 times as long as 528.
double tail_part_of(const Evidence& in, size_t s) {
  const double waves = waves_of(in, s).value_or(0);
  const auto blocks = counter_of(in.step(s), "blocks");
  const auto processors = static_cast<double>(in.profile.gpu->processors);
  if (tail_part(waves) == 0 || !is_own_gpu_run(in.profile) || !blocks || processors == 0) {
    return tail_part(waves);
  }
  const double each = *blocks / processors;
  return 1 - each / std::ceil(each);
}

void check_gpu_tail_wave(const Evidence& in, std::vector<Finding>& out) {
  double us = 0;
  double tail = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const double part = tail_part_of(in, s);
    us += part > 0 ? in.step(s).us : 0;
    tail += part * in.step(s).us;
    return part > 0;
  });
  if (tail < kGpuTailWorthIt * in.run_us()) return;
  Finding finding;
  finding.title = str("the last wave of ", count_of(steps.size(), "kernel"),
                      " is not full: ", share_of_run(in, tail), " of the run");
  finding.evidence = {
      time_evidence("kernels", us), time_evidence("tail", tail),
      count_evidence("multiprocessors", static_cast<double>(in.profile.gpu->processors))};
  finding.steps = std::move(steps);
  finding.fix = "choose sizes or a batch whose blocks fill whole waves, or tiles of another size";
  finding.gain = predicted_gain(tail, 2);
  finding.formula = str("of ", fixed(us, 1), " us, the ", fixed(tail, 1),
                        " us that the last wave has no blocks for: time x (1 - waves / waves "
                        "rounded up)",
                        is_own_gpu_run(in.profile) ? ", in blocks of one multiprocessor" : "");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_tail_wave = {
    .id = "gpu_tail_wave",
    .summary = "Kernels whose blocks do not fill the last of a few waves.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Gpu,
    .check = check_gpu_tail_wave,
};

}  // namespace hone
