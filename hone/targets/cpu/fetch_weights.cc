#include "hone/targets/cpu/fetch_weights.h"

#include <algorithm>

#include "hone/device/machine.h"

namespace hone::cpu {
namespace {

bool fetches(const Plan& plan, const Stage& stage) {
  return stage.chain == nullptr && plan.steps[stage.first_step]->fetches_ahead();
}

// The first weights of what runs behind a stage up to the next one that fetches for itself, or to a
// chain, whose rows would take the place of all.
std::vector<Step::Region> weights_behind(const Plan& plan, size_t stage, size_t most_bytes) {
  std::vector<Step::Region> regions;
  for (++stage; stage < plan.stages.size() && most_bytes > 0; ++stage) {
    const Stage& behind = plan.stages[stage];
    Step::Region region = plan.steps[behind.first_step]->first_weights();
    region = region.first(std::min(region.size(), most_bytes));
    most_bytes -= region.size();
    if (!region.empty()) regions.push_back(region);
    if (behind.chain != nullptr || fetches(plan, behind)) break;
  }
  return regions;
}

}  // namespace

void fetch_weights_ahead(Plan& plan) {
  // Which worker reads which weights is known only in a run.
  if (plan.options.threads != 1) return;
  // The rest of the cache is for what steps read and write meanwhile.
  const size_t most_bytes = second_level_cache_bytes() / 8 * 3;
  for (size_t stage = 0; stage < plan.stages.size(); ++stage) {
    if (!fetches(plan, plan.stages[stage])) continue;
    plan.steps[plan.stages[stage].first_step]->ahead = weights_behind(plan, stage, most_bytes);
  }
}

}  // namespace hone::cpu
