#include <map>
#include <set>

#include "hone/base/str.h"
#include "hone/profile/layers.h"

namespace hone {
namespace {

using GroupSet = std::set<size_t>;

// Which group a node belongs to: that of its layers, or of the step that a pass put in.
class GroupOfNode {
 public:
  explicit GroupOfNode(const Profile& profile) {
    for (size_t g = 0; g < profile.layers.size(); ++g) {
      const LayerGroup& group = profile.layers[g];
      for (const size_t source : group.sources) of_source_[source] = g;
      if (group.sources.empty()) of_added_[profile.steps[group.steps[0]].name] = g;
    }
  }

  std::optional<size_t> operator()(const Node& node) const {
    if (!node.origins.empty()) return in(of_source_, static_cast<size_t>(node.origins[0]));
    return in(of_added_, node.name.empty() ? node.outputs[0]->name : node.name);
  }

 private:
  template <class Key>
  static std::optional<size_t> in(const std::map<Key, size_t>& groups, const Key& key) {
    const auto found = groups.find(key);
    return found == groups.end() ? std::nullopt : std::optional(found->second);
  }

  std::map<size_t, size_t> of_source_;  // Of layers; constants have none.
  std::map<std::string, size_t> of_added_;
};

}  // namespace

void join_layers(const Graph& graph, Profile& profile) {
  const GroupOfNode group_of(profile);
  std::map<const Value*, GroupSet> makers;
  std::vector<GroupSet> reads(profile.layers.size());
  for (const Node* node : graph.nodes()) {
    GroupSet read;
    for (const Value* value : node->inputs) {
      if (value != nullptr) read.insert(makers[value].begin(), makers[value].end());
    }
    const std::optional<size_t> group = group_of(*node);
    if (group) reads[*group].insert(read.begin(), read.end());
    for (const Value* value : node->outputs) makers[value] = group ? GroupSet{*group} : read;
  }
  for (size_t g = 0; g < reads.size(); ++g) {
    reads[g].erase(g);
    profile.layers[g].reads.assign(reads[g].begin(), reads[g].end());
  }
}

}  // namespace hone
