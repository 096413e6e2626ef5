#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/roof_columns.h"

namespace hone {
namespace {

std::string size_of_level(const MemoryLevel& level) {
  if (level.stays_bytes == 0) return human_bytes(level.bytes);
  return str(human_bytes(level.stays_bytes), " of ", human_bytes(level.bytes));
}

Blocks memory_roofs_blocks(const DeviceFile& device, const ShowOptions&) {
  DataTable table{.columns = {{"memory"}, {"size", true}}};
  for (const RoofColumn& column : roof_columns(device)) {
    table.columns.insert(
        table.columns.end(),
        {{column.threads + ": read, GB/s", true}, {"write", true}, {"copy", true}});
  }
  add_sample_columns(device, table);
  for (const MemoryLevel& level : device.memory) {
    TableRow row = {level.name, size_of_level(level)};
    for (const RoofColumn& column : roof_columns(device)) {
      for (const Rate& rate : {level.read, level.write, level.copy}) {
        row.push_back(giga(rate.*column.rate));
      }
    }
    add_sample_cells(device, level, row);
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace

extern const SectionDef section_memory_roofs = {.title = "Memories",
                                                .of_machine = memory_roofs_blocks};

}  // namespace hone
