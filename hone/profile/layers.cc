#include "hone/profile/layers.h"

#include <map>

#include "hone/base/str.h"
#include "hone/profile/disjoint_sets.h"

namespace hone {
namespace {

std::string name_of_group(const Profile& profile, const std::vector<size_t>& sources) {
  const SourceLayer& first = profile.sources[sources[0]];
  const std::string name = first.name.empty() ? first.op : first.name;
  return sources.size() == 1 ? name : str(name, " + ", sources.size() - 1);
}

// Why a group has no step: what the graph recorded, or that its node only renames memory.
std::string reason_of_end(const Graph& graph, size_t source) {
  for (const Vanished& vanished : graph.vanished) {
    if (static_cast<size_t>(vanished.source) == source) {
      return str("taken away by ", vanished.pass);
    }
  }
  return "a view: no bytes move";
}

}  // namespace

void group_layers(const Graph& graph, Profile& profile) {
  profile.sources.clear();
  for (const Source& source : graph.sources) profile.sources.push_back({source.name, source.op});
  DisjointSets groups(profile.sources.size());
  for (const StepProfile& step : profile.steps) {
    for (const size_t source : step.sources) groups.merge(step.sources[0], source);
  }
  std::map<size_t, LayerGroup> by_first;
  for (size_t source = 0; source < profile.sources.size(); ++source) {
    by_first[groups.of(source)].sources.push_back(source);
  }
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    const StepProfile& step = profile.steps[s];
    // A step that stands for no layer of the file: a cast or a transpose that a pass put in.
    if (step.sources.empty()) continue;
    LayerGroup& group = by_first[groups.of(step.sources[0])];
    group.steps.push_back(s);
    group.us += step.us;
    group.share += step.share;
  }
  profile.layers.clear();
  for (auto& [first, group] : by_first) {
    if (group.steps.empty() && is_constant(profile.sources[first])) continue;
    group.name = name_of_group(profile, group.sources);
    if (group.steps.empty()) group.ended = reason_of_end(graph, first);
    profile.layers.push_back(std::move(group));
  }
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    const StepProfile& step = profile.steps[s];
    if (!step.sources.empty()) continue;
    profile.layers.push_back({.name = str("(added) ", step.name),
                              .sources = {},
                              .steps = {s},
                              .us = step.us,
                              .share = step.share,
                              .ended = ""});
  }
  join_layers(graph, profile);
}

}  // namespace hone
