#include <algorithm>
#include <array>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuOccupancyWorthIt = 0.02;  // Part of the run.
// In %. More warps hide no more than this, and what reaches it is bound by what it uses.
constexpr double kLowOccupancy = 60;
constexpr double kWellUsed = 60;

// What limits the blocks of a multiprocessor, as Nsight Compute shows it.
struct OccupancyLimit {
  std::string_view shown;
  const char* words;
};
constexpr std::array kOccupancyLimits = {
    OccupancyLimit{"Block Limit Registers", "registers"},
    OccupancyLimit{"Block Limit Shared Mem", "shared memory"},
    OccupancyLimit{"Block Limit Warps", "the size of its blocks"},
    OccupancyLimit{"Block Limit SM", "the number of blocks"},
    OccupancyLimit{"Block Limit Barriers", "barriers"}};

// "registers", or "registers and shared memory" where both allow as few blocks.
std::string limiter_of(const StepProfile& step) {
  double least = 1e9;
  std::vector<std::string> words;
  for (const auto& [shown, word] : kOccupancyLimits) {
    const std::optional<double> limit = counter_of(step, shown);
    if (!limit || *limit > least) continue;
    if (*limit < least) words.clear();
    least = *limit;
    words.emplace_back(word);
  }
  return join(words, " and ");
}

struct Occupancy {
  double warps = 0;  // In %, as all that follows: of those a multiprocessor has room for.
  double used = 0;   // Of cores or memory, whichever is nearer to its most.
};

// Of Hone's own kernels as they were launched, by the roofs; products want few warps with many
// registers each, and are chosen by measurement.
std::optional<Occupancy> own_occupancy(const Evidence& in, size_t s) {
  const StepProfile& step = in.step(s);
  const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu);
  const auto warps = counter_of(step, "Theoretical Occupancy");
  const bool product = step.kind.family == StepFamily::Product;
  if (!roofs || !warps || product || roofs->memory_bytes == 0 || step.us == 0) return std::nullopt;
  const double computing = static_cast<double>(step.flops) / 2 / roofs->fp32_macs;
  const double moving = gpu_traffic(*roofs, in.profile, step).us;
  return Occupancy{*warps, 100 * std::max(computing, moving) / step.us};
}

std::optional<Occupancy> occupancy_of(const Evidence& in, size_t s) {
  if (is_own_gpu_run(in.profile)) return own_occupancy(in, s);
  const StepProfile& step = in.step(s);
  const auto warps =
      counter_of(step, "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active");
  const auto compute = counter_of(step, "Compute (SM) Throughput");
  const auto memory = counter_of(step, "Memory Throughput");
  if (!warps || !compute || !memory) return std::nullopt;
  return Occupancy{*warps, std::max(*compute, *memory)};
}

// What of its time more warps would hide; 0 where something else holds it back.
double hidden_us(const Evidence& in, size_t s) {
  const std::optional<Occupancy> known = occupancy_of(in, s);
  if (!known || waves_of(in, s).value_or(0) < 1) return 0;
  if (known->warps >= kLowOccupancy || known->used >= kWellUsed) return 0;
  return in.step(s).us * (1 - std::max(known->warps / kLowOccupancy, known->used / kWellUsed));
}

void check_gpu_low_occupancy(const Evidence& in, std::vector<Finding>& out) {
  double gain = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    gain += hidden_us(in, s);
    return hidden_us(in, s) > 0;
  });
  if (steps.empty() || gain < kGpuOccupancyWorthIt * in.run_us()) return;
  const size_t worst =
      *std::ranges::max_element(steps, {}, [&](size_t s) { return hidden_us(in, s); });
  const StepProfile& step = in.step(worst);
  const double occupancy = occupancy_of(in, worst)->warps;
  Finding finding;
  finding.title = str(count_of(steps.size(), "kernel"), steps.size() == 1 ? " has" : " have",
                      " too few warps to hide waiting: ", step.op, " keeps ", fixed(occupancy, 0),
                      " % of them, held back by ", limiter_of(step));
  finding.evidence = {{.name = "occupancy", .value = occupancy, .unit = "%"},
                      time_evidence("kernels", sum_us(in, steps))};
  for (const char* shown : {"Theoretical Occupancy", "Registers Per Thread"}) {
    const Metric* counter = find_metric(step.counters, shown);
    if (counter != nullptr) finding.evidence.push_back(*counter);
  }
  finding.steps = steps;
  finding.fix = str("let more blocks run at once; they are limited by ", limiter_of(step),
                    " (launch bounds, smaller tiles, smaller blocks)");
  finding.gain = predicted_gain(gain, 2);
  finding.formula = str("time x (1 - the larger of occupancy / ", fixed(kLowOccupancy, 0),
                        " % and the throughput reached / ", fixed(kWellUsed, 0), " %), ",
                        fixed(gain, 1), " us of ", fixed(sum_us(in, steps), 1), " us");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_low_occupancy = {
    .id = "gpu_low_occupancy",
    .summary = "Kernels with too few warps to hide waiting, and what limits them (Nsight Compute).",
    .bound = Bound::SmallWork,
    .on = RuleFor::Gpu,
    .check = check_gpu_low_occupancy,
};

}  // namespace hone
