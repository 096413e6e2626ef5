#include <algorithm>
#include <map>

#include "hone/base/percent.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/inspected_text.h"

namespace hone {
namespace {

struct OperatorCost {
  std::string op = {};
  int64_t layers = 0;
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
};

// The one with the most work first.
std::vector<OperatorCost> operator_costs(const Inspection& inspection) {
  std::map<std::string, OperatorCost> by_op;
  for (const InspectedLayer& layer : inspection.layers) {
    OperatorCost& cost = by_op[layer.op];
    cost.op = layer.op;
    ++cost.layers;
    cost.parameters += layer.parameters;
    cost.macs += layer.macs;
    cost.flops += layer.flops;
    cost.weight_bytes += layer.weight_bytes;
  }
  std::vector<OperatorCost> costs;
  for (auto& [op, cost] : by_op) costs.push_back(std::move(cost));
  std::ranges::stable_sort(costs, std::ranges::greater{}, &OperatorCost::flops);
  return costs;
}

std::string share_text(double part, double whole) {
  return whole > 0 ? percent(part / whole) : "-";
}

// One bar for each operator that weighs something.
BarChart weight_chart(const std::vector<OperatorCost>& costs) {
  BarChart chart{.title = "Weights by operator"};
  for (const OperatorCost& cost : costs) {
    if (cost.weight_bytes == 0) continue;
    chart.bars.push_back({.name = cost.op,
                          .value = static_cast<double>(cost.weight_bytes),
                          .text = human_bytes(cost.weight_bytes)});
  }
  std::ranges::stable_sort(chart.bars, std::ranges::greater{}, &Bar::value);
  return chart;
}

DataTable work_table(const std::vector<OperatorCost>& costs, const Inspection& inspection) {
  DataTable table{.columns = {{"operator"},
                              {"nodes", true},
                              {"MACs", true},
                              {"FLOPs", true},
                              {"of all FLOPs", true},
                              {"parameters", true},
                              {"weights", true}}};
  for (const OperatorCost& cost : costs) {
    table.rows.push_back(
        {cost.op, str(cost.layers), human_count(cost.macs), human_count(cost.flops),
         share_text(static_cast<double>(cost.flops), static_cast<double>(inspection.flops)),
         human_count(cost.parameters), human_bytes(cost.weight_bytes)});
  }
  return table;
}

// Where extents are open, what is counted of the work says nothing about shares.
DataTable weight_table(const std::vector<OperatorCost>& costs) {
  DataTable table{
      .columns = {{"operator"}, {"nodes", true}, {"parameters", true}, {"weights", true}}};
  for (const OperatorCost& cost : costs) {
    table.rows.push_back(
        {cost.op, str(cost.layers), human_count(cost.parameters), human_bytes(cost.weight_bytes)});
  }
  return table;
}

// A terminal has the counts among the lines of the model.
Blocks operator_costs_blocks(const Inspection& inspection, const ShowOptions& show) {
  if (!show.page || inspection.layers.empty()) return {};
  const std::vector<OperatorCost> costs = operator_costs(inspection);
  if (waits_for_extents(inspection)) {
    return {weight_table(costs),
            Paragraph{"MACs and FLOPs are known once the extents of its inputs are given" +
                      in_brackets({HintKind::Extents}, show.words)},
            weight_chart(costs)};
  }
  return {work_table(costs, inspection), weight_chart(costs)};
}

}  // namespace

extern const SectionDef section_operator_costs = {.title = "Operators",
                                                  .of_inspection = operator_costs_blocks};

}  // namespace hone
