#include "hone/profile/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "hone/base/check.h"
#include "hone/base/text.h"
#include "hone/profile/core_wait.h"
#include "hone/profile/disjoint_sets.h"
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
  bool repeated = false;  // The other three are of many runs, not of one number.
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

Times times_of(std::span<const double> samples) {
  Times times{.repeated = true};
  times.typical = median(samples);
  times.fast = quantile(samples, 0.1);
  const std::vector<double> blocks = block_medians(samples, 8);
  times.low = *std::ranges::min_element(blocks);
  times.high = *std::ranges::max_element(blocks);
  return times;
}

// What the machine did to two measurements besides running the programs. Neither part is known of
// other tools' profiles.
struct Surroundings {
  CoreWait waited = {};  // Of the measurement in which threads waited longer for a core.
  double drift = 0;      // By how much the yardstick differs, or varies: a part of itself.

  Surroundings(const Profile& a, const Profile& b) {
    double low = 0, high = 0;
    for (const Profile* profile : {&a, &b}) {
      const CoreWait wait = core_wait(*profile);
      if (wait.sum > waited.sum) waited = wait;
      const Metric* yardstick = find_metric(profile->system, "yardstick");
      if (yardstick == nullptr || !yardstick->low || !yardstick->high) return;
      low = low == 0 ? *yardstick->low : std::min(low, *yardstick->low);
      high = std::max(high, *yardstick->high);
    }
    drift = high / low - 1;
  }

  bool busy() const { return waited.busy(); }
  // What a program may change by on their account: it may suffer more than the yardstick, which
  // needs no memory.
  double allowance() const { return 2 * drift; }

  // A difference counts when it cannot be theirs.
  Change settle(Change change, const Times& a, const Times& b, double least) const {
    if (change != Change::Slower && change != Change::Faster) return change;
    const bool could_be_theirs =
        busy() || std::abs(b.typical - a.typical) <= least + allowance() * a.typical;
    return could_be_theirs ? Change::Unclear : change;
  }
};

// Profiles of other tools may have a median and no samples.
Times whole_run(const Profile& profile) {
  if (!profile.samples_ms.empty()) return times_of(profile.samples_ms);
  const double ms = median_ms(profile);
  return {.typical = ms, .fast = ms, .low = ms, .high = ms};
}

using Groups = std::vector<const LayerGroup*>;

// Of several groups together.
Times group_times(const Profile& profile, const Groups& groups) {
  Times times;
  std::vector<double> blocks;
  for (const LayerGroup* group : groups) {
    for (const size_t s : group->steps) {
      const StepProfile& step = profile.steps[s];
      times.typical += step.us;
      times.fast += step.us_p10 > 0 ? step.us_p10 : step.us;
      blocks.resize(std::max(blocks.size(), step.us_blocks.size()));
      for (size_t b = 0; b < step.us_blocks.size(); ++b) blocks[b] += step.us_blocks[b];
    }
  }
  if (blocks.empty()) blocks = {times.typical};
  times.low = *std::ranges::min_element(blocks);
  times.high = *std::ranges::max_element(blocks);
  return times;
}

std::set<std::string> source_names(const Profile& profile) {
  std::set<std::string> names;
  for (const SourceLayer& layer : profile.sources) {
    if (!is_constant(layer)) names.insert(layer.name);
  }
  return names;
}

// "conv" of "conv.2"; empty where no number is at the end.
std::string before_number(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 == name.size()) return "";
  const bool number = name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return number ? name.substr(0, dot) : "";
}

// The layers of two profiles under names that both have. Where a layer of one file is several nodes
// of another, export numbers them: "conv" is there as "conv", "conv.2" and "conv.3".
class LayerNames {
 public:
  LayerNames(const Profile& a, const Profile& b) : of_a_(source_names(a)), of_b_(source_names(b)) {}

  // Names of the layers that a group stands for; its own where they have none.
  std::set<std::string> in(const Profile& profile, const LayerGroup& group) const {
    std::set<std::string> names;
    for (const size_t source : group.sources) {
      const std::string& name = profile.sources[source].name;
      if (!name.empty()) names.insert(whole(name));
    }
    if (names.empty()) names.insert(group.name);
    return names;
  }

 private:
  // The layer that `name` is a numbered part of, or `name`.
  std::string whole(const std::string& name) const {
    if (in_both(name)) return name;
    const std::string stem = before_number(name);
    return in_both(stem) ? stem : name;
  }
  bool in_both(const std::string& name) const {
    return of_a_.contains(name) && of_b_.contains(name);
  }

  std::set<std::string> of_a_;
  std::set<std::string> of_b_;
};

// Groups of the one and the other profile that have layers in common.
struct Match {
  Groups a;
  Groups b;
  std::string name;   // Of the group that stands for most layers.
  size_t layers = 0;  // Number of layers it stands for.
};

void add_group(const LayerGroup& group, size_t layers, Groups& side, Match& match) {
  side.push_back(&group);
  if (layers <= match.layers) return;
  match.layers = layers;
  match.name = group.name;
}

// Profiles may have merged the layers of the file in different ways: what shares a layer, directly
// or through others, is compared as one.
std::vector<Match> match_layers(const Profile& a, const Profile& b) {
  const LayerNames layer_names(a, b);
  std::map<std::string, size_t> numbers;
  for (const Profile* profile : {&a, &b}) {
    for (const LayerGroup& group : profile->layers) {
      for (const std::string& name : layer_names.in(*profile, group)) {
        numbers.try_emplace(name, numbers.size());
      }
    }
  }
  DisjointSets sets(numbers.size());
  for (const Profile* profile : {&a, &b}) {
    for (const LayerGroup& group : profile->layers) {
      const std::set<std::string> names = layer_names.in(*profile, group);
      for (const std::string& name : names) sets.merge(numbers[*names.begin()], numbers[name]);
    }
  }
  std::map<size_t, Match> matches;
  for (const Profile* profile : {&a, &b}) {
    for (const LayerGroup& group : profile->layers) {
      const std::set<std::string> names = layer_names.in(*profile, group);
      Match& match = matches[sets.of(numbers[*names.begin()])];
      add_group(group, names.size(), profile == &a ? match.a : match.b, match);
    }
  }
  std::vector<Match> list;
  for (auto& [set, match] : matches) list.push_back(std::move(match));
  return list;
}

std::vector<LayerChange> compare_layers(const Profile& a, const Profile& b,
                                        const DiffLimits& limits,
                                        const Surroundings& surroundings) {
  std::vector<LayerChange> changes;
  const double run_us = 1e3 * median_ms(a);
  for (const Match& match : match_layers(a, b)) {
    const Times before = group_times(a, match.a);
    const Times after = group_times(b, match.b);
    LayerChange change{.name = match.name, .us_a = before.typical, .us_b = after.typical};
    change.only_in_a = match.b.empty();
    change.only_in_b = match.a.empty();
    const double least =
        std::max(limits.layer_part * before.typical, limits.layer_run_part * run_us);
    const bool in_both = !change.only_in_a && !change.only_in_b;
    if (in_both) {
      change.change = surroundings.settle(judge(before, after, least), before, after, least);
    }
    // What took no time and is not in the other is no difference.
    if (in_both || change.delta_us() != 0) changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, std::ranges::greater{},
                           [](const LayerChange& c) { return std::abs(c.delta_us()); });
  return changes;
}

// Other tools tell neither the model's name nor all of its layers: theirs are of another model when
// no layer is in both.
std::string different_models(const Profile& a, const Profile& b, bool& unrelated) {
  const std::set<std::string> of_a = source_names(a), of_b = source_names(b);
  const auto shared =
      std::ranges::count_if(of_a, [&](const std::string& name) { return of_b.contains(name); });
  const bool ours = a.tool == "hone" && b.tool == "hone";
  const bool same = ours ? a.model == b.model && of_a == of_b : shared > 0;
  if (same) return "";
  // Networks of any kind may have a layer called "classifier".
  constexpr size_t kFew = 4;
  unrelated = ours && kFew * static_cast<size_t>(shared) < std::min(of_a.size(), of_b.size());
  return str("of different models: ", a.model, " with ", of_a.size(), " layers and ", b.model,
             " with ", of_b.size(), ", ", shared, " in common");
}

std::string unclear_reason(const Surroundings& surroundings) {
  if (surroundings.busy()) {
    return str("but ", text_of(surroundings.waited));
  }
  return str(
      "but the fast runs or parts of the measurements do not agree, or the machine itself changed "
      "its speed (a yardstick by ",
      fixed(100 * surroundings.drift, 1), " %)");
}

std::string reason(const Times& a, const Times& b, Change change, double limit,
                   const Surroundings& surroundings) {
  const double part = 100 * (b.typical / a.typical - 1);
  const bool measured = a.repeated && b.repeated;
  const std::string moved =
      str("the ", measured ? "median" : "latency", " moved by ", fixed(part, 1), " %");
  switch (change) {
    case Change::Same:
      return str(moved, ", within the limit of ", fixed(100 * limit, 1), " %");
    case Change::Unclear:
      return str(moved, ", ", unclear_reason(surroundings), ": measure again on a quieter machine");
    default:
      if (!measured) return str(moved, ", more than the limit of ", fixed(100 * limit, 1), " %");
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

std::optional<Change> change_named(std::string_view name) {
  for (const Change change : {Change::Same, Change::Faster, Change::Slower, Change::Unclear}) {
    if (name == name_of(change)) return change;
  }
  return std::nullopt;
}

ProfileDiff diff_profiles(const Profile& a, const Profile& b, const DiffLimits& limits) {
  ProfileDiff diff;
  diff.models = different_models(a, b, diff.unrelated);
  const Times before = whole_run(a);
  const Times after = whole_run(b);
  diff.ms_a = before.typical;
  diff.ms_b = after.typical;
  const Surroundings surroundings(a, b);
  const double least = limits.run_part * before.typical;
  diff.change = surroundings.settle(judge(before, after, least), before, after, least);
  if (before.typical > 0 && after.typical > 0) {
    diff.why = reason(before, after, diff.change, limits.run_part, surroundings);
  } else {
    diff.change = Change::Unclear;
    diff.why = str(before.typical > 0 ? "the second" : "the first", " profile has no latency");
  }
  diff.layers = compare_layers(a, b, limits, surroundings);
  return diff;
}

}  // namespace hone
