#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

PartsChart chart_of_placement(const PlacementResult& result) {
  PartsChart chart{.title = "Nodes by where they run"};
  const auto add = [&](const std::string& where, int64_t nodes, Tone tone) {
    chart.parts.push_back({.name = where,
                           .value = static_cast<double>(nodes),
                           .text = str(nodes, nodes == 1 ? " node" : " nodes"),
                           .tone = tone});
  };
  add(result.target, result.nodes_on_device, Tone::Good);
  if (result.nodes_on_host > 0) add("its host", result.nodes_on_host, Tone::Warn);
  return chart;
}

// What the host has comes first: it is what a reader looks for.
DataTable operators_of(const PlacementResult& result) {
  std::vector<PlacedOperator> operators = result.operators;
  std::ranges::stable_sort(operators, std::ranges::greater{}, &PlacedOperator::on_host);
  DataTable table{.columns = {{"operator"}, {"on " + result.target, true}, {"on its host", true}}};
  for (const PlacedOperator& each : operators) {
    table.rows.push_back({each.op, str(each.on_device), str(each.on_host)});
  }
  return table;
}

Blocks placement_blocks(const PlacementResult& result, const ShowOptions& show) {
  if (result.nodes_on_device + result.nodes_on_host == 0) {
    return {Facts{{{"nodes", str(result.steps, " steps, all on ", result.target)}}}};
  }
  Facts facts{{{"nodes", str(result.nodes_on_device, " on ", result.target, ", ",
                             result.nodes_on_host, " on its host")}}};
  if (!show.page) return {facts};
  return {chart_of_placement(result), facts, operators_of(result)};
}

}  // namespace

extern const SectionDef section_placement = {.title = "What runs where",
                                             .of_placement = placement_blocks};

}  // namespace hone
