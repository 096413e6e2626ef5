#include "hone/report/sections/host_groups.h"

#include <map>

#include "hone/base/short_name.h"
#include "hone/base/str.h"

namespace hone {
namespace {

// What stands in quotes is of one node.
std::string without_names(const std::string& text) {
  std::string result;
  bool inside = false;
  for (const char c : text) {
    if (c == '\'') inside = !inside;
    if (!inside) result += c;
  }
  return result;
}

}  // namespace

std::vector<HostGroup> group_by_reason(const std::vector<HostPlacement>& nodes) {
  std::vector<HostGroup> groups;
  std::map<std::string, size_t> by_reason;
  for (const HostPlacement& node : nodes) {
    const std::string key =
        str(node.op, "\n", without_names(node.reason), "\n", without_names(node.change));
    const auto [found, is_new] = by_reason.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    HostGroup& group = groups[found->second];
    group.nodes.push_back(node);
    group.bytes += node.boundary_bytes;
    group.us += node.boundary_us;
  }
  return groups;
}

std::string names_of(const HostGroup& group) {
  constexpr size_t kShown = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < group.nodes.size() && i < kShown; ++i) {
    names.push_back(short_name(group.nodes[i].name, 32));
  }
  const size_t more = group.nodes.size() - names.size();
  return more == 0 ? join(names) : str(join(names), " and ", more, " more");
}

}  // namespace hone
