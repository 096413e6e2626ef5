#include <map>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// Nodes on the host for the same reason, whatever the names in it.
struct HostGroup {
  std::vector<const HostNode*> nodes = {};
  uint64_t bytes = 0;
  double us = 0;
};

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

// In the order of the first node of each.
std::vector<HostGroup> group_by_reason(const std::vector<HostNode>& nodes) {
  std::vector<HostGroup> groups;
  std::map<std::string, size_t> by_reason;
  for (const HostNode& node : nodes) {
    const std::string key =
        str(node.op, "\n", without_names(node.reason), "\n", without_names(node.change));
    const auto [found, is_new] = by_reason.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    HostGroup& group = groups[found->second];
    group.nodes.push_back(&node);
    group.bytes += node.boundary_bytes;
    group.us += node.boundary_us;
  }
  return groups;
}

std::string names_of(const HostGroup& group) {
  constexpr size_t kShown = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < group.nodes.size() && i < kShown; ++i) {
    names.push_back(short_name(group.nodes[i]->node, 32));
  }
  const size_t more = group.nodes.size() - names.size();
  return more == 0 ? join(names) : str(join(names), " and ", more, " more");
}

BarChart chart_of_host_nodes(const std::vector<HostGroup>& groups) {
  BarChart chart{.title = "Bytes between device and host, by the nodes they are moved for"};
  for (const HostGroup& group : groups) {
    if (group.bytes == 0) continue;
    chart.bars.push_back({.name = names_of(group),
                          .value = static_cast<double>(group.bytes),
                          .text = str(human_bytes(group.bytes), ", ", fixed(group.us, 1), " us"),
                          .tone = Tone::Warn});
  }
  return chart;
}

Blocks host_nodes_blocks(const PlacementResult& result, const ShowOptions& show) {
  const std::vector<HostGroup> groups = group_by_reason(result.host);
  if (groups.empty()) return {};
  DataTable table{.columns = {{"on the host"},
                              {"n", true},
                              {"operator"},
                              {"why"},
                              {"nearest change"},
                              {"moved", true},
                              {"us", true}}};
  for (const HostGroup& group : groups) {
    const HostNode& first = *group.nodes[0];
    table.rows.push_back({names_of(group), str(group.nodes.size()), first.op,
                          with_short_names(first.reason),
                          with_short_names(first.change) + in_brackets(first.hint, show.words),
                          human_bytes(group.bytes), fixed(group.us, 1)});
  }
  return {chart_of_host_nodes(groups), table};
}

}  // namespace

extern const SectionDef section_host_nodes = {.title = "On the host",
                                              .of_placement = host_nodes_blocks};

}  // namespace hone
