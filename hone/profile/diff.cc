#include "hone/profile/diff.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hone/base/check.h"
#include "hone/base/text.h"
#include "hone/profile/statistics.h"

namespace hone {
namespace {

// What a set of repeated times says: a typical value, the value that interruptions do not reach,
// and how far medians of parts of the measurement lie apart.
struct Times {
  double typical = 0;
  double fast = 0;  // Tenth percentile.
  double low = 0;   // Of the block medians.
  double high = 0;
};

// Interruptions lengthen the typical run but leave the fast ones as they are; a change of the
// program moves both. So both must move, and the blocks of one profile must lie apart from the
// other's.
Change judge(const Times& a, const Times& b, double least) {
  const double typical = b.typical - a.typical;
  const double fast = b.fast - a.fast;
  const bool apart = typical > 0 ? b.low > a.high : b.high < a.low;
  if (std::abs(typical) <= least) return Change::Same;
  const bool agree = (typical > 0) == (fast > 0) && std::abs(fast) > least;
  if (!agree || !apart) return Change::Unclear;
  return typical > 0 ? Change::Slower : Change::Faster;
}

Times whole_run(const Profile& profile) {
  Times times;
  times.typical = median_ms(profile);
  if (profile.samples_ms.empty()) {
    times.fast = times.low = times.high = times.typical;
    return times;
  }
  times.fast = quantile(profile.samples_ms, 0.1);
  const std::vector<double> blocks = block_medians(profile.samples_ms, 8);
  times.low = *std::ranges::min_element(blocks);
  times.high = *std::ranges::max_element(blocks);
  return times;
}

Times group_times(const Profile& profile, const LayerGroup& group) {
  Times times;
  std::vector<double> blocks;
  for (const size_t s : group.steps) {
    const StepProfile& step = profile.steps[s];
    times.typical += step.us;
    times.fast += step.us_p10 > 0 ? step.us_p10 : step.us;
    blocks.resize(std::max(blocks.size(), step.us_blocks.size()));
    for (size_t b = 0; b < step.us_blocks.size(); ++b) blocks[b] += step.us_blocks[b];
  }
  if (blocks.empty()) blocks = {times.typical};
  times.low = *std::ranges::min_element(blocks);
  times.high = *std::ranges::max_element(blocks);
  return times;
}

std::string key_of(const Profile& profile, const LayerGroup& group) {
  if (group.sources.empty()) return group.name;
  std::vector<std::string> names;
  for (const size_t source : group.sources) names.push_back(profile.sources[source].name);
  return join(names, "\n");
}

std::vector<LayerChange> compare_layers(const Profile& a, const Profile& b,
                                        const DiffLimits& limits) {
  std::map<std::string, const LayerGroup*> in_b;
  for (const LayerGroup& group : b.layers) in_b[key_of(b, group)] = &group;
  std::vector<LayerChange> changes;
  const double run_us = 1e3 * median_ms(a);
  for (const LayerGroup& group : a.layers) {
    const auto found = in_b.find(key_of(a, group));
    if (found == in_b.end()) {
      changes.push_back({.name = group.name, .us_a = group.us, .only_in_a = true});
      continue;
    }
    const Times before = group_times(a, group);
    const Times after = group_times(b, *found->second);
    const double least =
        std::max(limits.layer_part * before.typical, limits.layer_run_part * run_us);
    changes.push_back({.name = group.name,
                       .us_a = before.typical,
                       .us_b = after.typical,
                       .change = judge(before, after, least)});
    in_b.erase(found);
  }
  for (const auto& [key, group] : in_b) {
    changes.push_back({.name = group->name, .us_b = group->us, .only_in_b = true});
  }
  std::ranges::stable_sort(changes, std::ranges::greater{},
                           [](const LayerChange& c) { return std::abs(c.delta_us()); });
  return changes;
}

std::string reason(const Times& a, const Times& b, Change change, double limit) {
  const double part = 100 * (b.typical / a.typical - 1);
  const std::string moved = str("the median moved by ", fixed(part, 1), " %");
  switch (change) {
    case Change::Same:
      return str(moved, ", within the limit of ", fixed(100 * limit, 1), " %");
    case Change::Unclear:
      return str(moved,
                 ", but the fast runs or parts of the measurements do not agree: "
                 "measure again on a quieter machine");
    default:
      return str(moved, ", the fast runs by ", fixed(100 * (b.fast / a.fast - 1), 1),
                 " %, and no part of one measurement reaches the other");
  }
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::Same:
      return "same";
    case Change::Faster:
      return "faster";
    case Change::Slower:
      return "slower";
    case Change::Unclear:
      return "unclear";
  }
  HONE_CHECK(false, "no such change");
}

ProfileDiff diff_profiles(const Profile& a, const Profile& b, const DiffLimits& limits) {
  ProfileDiff diff;
  const Times before = whole_run(a);
  const Times after = whole_run(b);
  diff.ms_a = before.typical;
  diff.ms_b = after.typical;
  diff.change = judge(before, after, limits.run_part * before.typical);
  diff.why = reason(before, after, diff.change, limits.run_part);
  diff.layers = compare_layers(a, b, limits);
  return diff;
}

}  // namespace hone
