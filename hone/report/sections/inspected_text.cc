#include "hone/report/sections/inspected_text.h"

#include <algorithm>
#include <set>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Where it runs, as far as one sentence has room.
std::string support_clause(const Inspection& inspection) {
  std::vector<std::string> partly;
  size_t most = 0;
  for (const InspectedTarget& target : inspection.targets) {
    if (target.unsupported.empty()) continue;
    partly.push_back(target.target);
    most = std::max(most, target.unsupported.size());
  }
  if (inspection.targets.empty()) return "";
  if (partly.empty()) return "; every target runs all of it";
  const std::string nodes = str(most, most == 1 ? " layer" : " layers");
  if (partly.size() == inspection.targets.size()) return str("; no target runs ", nodes, " of it");
  return str("; ", join(partly), partly.size() == 1 ? " leaves " : " leave up to ", nodes, " out");
}

}  // namespace

std::vector<AlikeTargets> alike_targets(const Inspection& inspection) {
  std::vector<AlikeTargets> told;
  for (const InspectedTarget& target : inspection.targets) {
    const auto same = std::ranges::find_if(
        told, [&](const AlikeTargets& other) { return *other.unsupported == target.unsupported; });
    if (same != told.end()) {
      same->names.push_back(target.target);
    } else {
      told.push_back({{target.target}, &target.unsupported});
    }
  }
  return told;
}

size_t layers_of_file(const Inspection& inspection) {
  std::set<std::string> named;
  size_t own = 0;  // Nodes that stand for no layer with a name.
  for (const InspectedLayer& node : inspection.layers) {
    named.insert(node.origins.begin(), node.origins.end());
    if (node.origins.empty() || named.erase("") > 0) ++own;
  }
  return named.size() + own;
}

bool waits_for_extents(const Inspection& inspection) {
  return !inspection.complete && inspection.open_inputs;
}

std::string inspection_headline(const Inspection& inspection) {
  const size_t layers = layers_of_file(inspection);
  const std::string macs = human_count(inspection.macs) + " MACs a run";
  return str(human_count(inspection.parameters), " parameters in ",
             human_bytes(inspection.weight_bytes), ", ",
             waits_for_extents(inspection) ? "MACs known once extents are given"
             : inspection.complete         ? macs
                                           : "at least " + macs,
             ", ", layers, layers == 1 ? " layer" : " layers", support_clause(inspection));
}

}  // namespace hone
