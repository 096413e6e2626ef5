#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuSectorsWorthIt = 0.02;  // Part of the run.
constexpr double kWellUsedSectors = 0.8;     // Rows that begin inside a sector waste a little.

// The part of what a kernel fetches in sectors of 32 bytes that its threads asked for: of all
// sectors where those were counted, else of loads or stores, whichever is worse. 1: nothing tells.
double used_of_sectors(const StepProfile& step) {
  const auto all = counter_of(step, "memory_l2_theoretical_sectors_global");
  const auto ideal = counter_of(step, "memory_l2_theoretical_sectors_global_ideal");
  if (all && ideal && *all > 0) return *ideal / *all;
  double used = 1;
  for (const char* name : {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                           "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"}) {
    const std::optional<double> counted = counter_of(step, name);
    if (counted && *counted > 0) used = std::min(used, *counted / 100);
  }
  return used;
}

// Kernels that compute more than they move do not wait for their sectors.
bool waits_for_sectors(const StepProfile& step) {
  const double compute = counter_of(step, "Compute (SM) Throughput",
                                    "sm__throughput.avg.pct_of_peak_sustained_elapsed")
                             .value_or(0);
  const double memory =
      counter_of(step, "Memory Throughput",
                 "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")
          .value_or(100);
  return memory >= compute;
}

void check_gpu_uncoalesced(const Evidence& in, std::vector<Finding>& out) {
  double gain = 0;
  double worst = 1;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const double used = used_of_sectors(in.step(s));
    if (used >= kWellUsedSectors || !waits_for_sectors(in.step(s))) return false;
    gain += in.step(s).us * (1 - used);
    worst = std::min(worst, used);
    return true;
  });
  if (steps.empty() || gain < kGpuSectorsWorthIt * in.run_us()) return;
  Finding finding;
  finding.title = str("threads of ", count_of(steps.size(), "kernel"),
                      " that stand side by side read or write far apart: of the bytes fetched, as "
                      "little as ",
                      fixed(100 * worst, 0), " % are used");
  finding.evidence = {
      time_evidence("kernels", sum_us(in, steps)),
      {.name = "used_of_sectors", .value = 100 * worst, .unit = "%", .mode = Mode::Measured}};
  finding.steps = steps;
  finding.fix = str("let neighbouring threads touch neighbouring elements: lay the tensors of ",
                    in.step(steps[0]).op,
                    " out as they are read (contiguous, channels last), or "
                    "turn tiles in shared memory");
  finding.gain = predicted_gain(gain, 1.5);
  finding.formula = str("time x (1 - part of the fetched bytes that is used), ", fixed(gain, 1),
                        " us of ", fixed(sum_us(in, steps), 1), " us");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_uncoalesced = {
    .id = "gpu_uncoalesced",
    .summary = "Kernels that fetch far more bytes than their threads use (Nsight Compute).",
    .bound = Bound::Memory,
    .on = RuleFor::Gpu,
    .check = check_gpu_uncoalesced,
};

}  // namespace hone
