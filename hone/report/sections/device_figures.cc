#include "hone/report/compare_cells.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks device_figures_blocks(const DeviceComparison& comparison, const ShowOptions&) {
  const std::vector<std::vector<std::string>> rows = compare_cells(comparison);
  DataTable table;
  for (const std::string& name : rows[0]) table.columns.push_back({name});
  for (size_t r = 1; r < rows.size(); ++r) table.rows.emplace_back(rows[r].begin(), rows[r].end());
  return {table};
}

}  // namespace

extern const SectionDef section_device_figures = {.title = "All figures",
                                                  .of_comparison = device_figures_blocks};

}  // namespace hone
