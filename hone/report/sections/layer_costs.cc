#include "hone/base/text.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// A page has room for what a terminal has not.
Blocks layer_costs_blocks(const Inspection& inspection, const ShowOptions& show) {
  DataTable table{
      .columns = {
          {"layer"}, {"op"}, {"output"}, {"parameters", true}, {"MACs", true}, {"weights", true}}};
  if (show.page) {
    table.columns.push_back({"FLOPs", true});
    table.columns.push_back({"read and written", true});
  }
  for (const InspectedLayer& layer : inspection.layers) {
    TableRow& row = table.rows.emplace_back(
        TableRow{layer.name, layer.op, layer.output, human_count(layer.parameters),
                 human_count(layer.macs), human_bytes(layer.weight_bytes)});
    if (!show.page) continue;
    row.push_back(human_count(layer.flops));
    row.push_back(layer.activation_bytes > 0 ? human_bytes(layer.activation_bytes) : "-");
  }
  return {table};
}

}  // namespace

extern const SectionDef section_layer_costs = {.title = "Layers",
                                               .of_inspection = layer_costs_blocks};

}  // namespace hone
