#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/host_groups.h"

namespace hone {
namespace {

std::vector<HostPlacement> placements_of(const std::vector<HostNode>& nodes) {
  std::vector<HostPlacement> placements;
  for (const HostNode& node : nodes) {
    placements.push_back({.name = node.node,
                          .op = node.op,
                          .reason = node.reason,
                          .change = node.change,
                          .boundary_bytes = node.boundary_bytes,
                          .boundary_us = node.boundary_us,
                          .hint = node.hint});
  }
  return placements;
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
  const std::vector<HostGroup> groups = group_by_reason(placements_of(result.host));
  if (groups.empty()) return {};
  DataTable table{.columns = {{"on the host"},
                              {"n", true},
                              {"operator"},
                              {"why"},
                              {"nearest change"},
                              {"moved", true},
                              {"us", true}}};
  for (const HostGroup& group : groups) {
    const HostPlacement& first = group.nodes[0];
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
