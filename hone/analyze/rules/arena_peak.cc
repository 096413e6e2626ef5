#include <algorithm>
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_arena_peak(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.arena_bytes == 0 || in.steps() == 0) return;
  size_t peak = 0;
  for (size_t s = 0; s < in.steps(); ++s) {
    if (in.step(s).live_during > in.step(peak).live_during) peak = s;
  }
  std::vector<uint64_t> live;
  for (const StepProfile& step : in.profile.steps) live.push_back(step.live_during);
  std::ranges::nth_element(live, live.begin() + static_cast<ptrdiff_t>(live.size() / 2));
  const auto middle = static_cast<double>(live[live.size() / 2]);
  const auto most = static_cast<double>(in.step(peak).live_during);
  if (most == 0 || most < 2 * middle) return;
  Finding finding;
  finding.title = str("'", short_name(in.step(peak).name), "' sets the peak of ",
                      human_bytes(in.step(peak).live_during), "; the median step needs ",
                      human_bytes(static_cast<uint64_t>(middle)));
  finding.evidence = {{.name = "peak", .value = most, .unit = "B", .mode = Mode::Exact},
                      {.name = "median_step", .value = middle, .unit = "B", .mode = Mode::Exact},
                      {.name = "arena",
                       .value = static_cast<double>(in.profile.arena_bytes),
                       .unit = "B",
                       .mode = Mode::Exact}};
  finding.steps = {peak};
  finding.fix = "compute it in parts, or make its input or output smaller (stride, channels)";
  finding.gain = unavailable("gain", "ms", "the gain is memory, not time");
  finding.formula = "";
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_arena_peak = {
    .id = "arena_peak",
    .summary = "The step that needs the most memory at once.",
    .bound = Bound::Capacity,
    .check = check_arena_peak,
};

}  // namespace hone
