#include "hone/base/text.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks layer_costs_blocks(const Inspection& inspection, const ShowOptions&) {
  DataTable table{
      .columns = {
          {"layer"}, {"op"}, {"output"}, {"parameters", true}, {"MACs", true}, {"weights", true}}};
  for (const InspectedLayer& layer : inspection.layers) {
    table.rows.push_back({layer.name, layer.op, layer.output, human_count(layer.parameters),
                          human_count(layer.macs), human_bytes(layer.weight_bytes)});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_layer_costs = {.title = "Layers",
                                               .of_inspection = layer_costs_blocks};

}  // namespace hone
