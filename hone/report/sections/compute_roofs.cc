#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/roof_columns.h"

namespace hone {
namespace {

Blocks compute_roofs_blocks(const DeviceFile& device, const ShowOptions&) {
  DataTable table{.columns = {{"precision"}, {"instruction"}}};
  for (const RoofColumn& column : roof_columns(device)) {
    table.columns.push_back({column.threads + ", GOP/s", true});
  }
  add_sample_columns(device, table);
  for (const ComputeRoof& roof : device.compute) {
    TableRow row = {roof.precision, roof.instruction};
    for (const RoofColumn& column : roof_columns(device)) {
      row.push_back(giga(roof.ops.*column.rate));
    }
    add_sample_cells(device, roof, row);
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace

extern const SectionDef section_compute_roofs = {.title = "Arithmetic",
                                                 .of_machine = compute_roofs_blocks};

}  // namespace hone
