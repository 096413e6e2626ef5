#include "hone/report/compare_cells.h"
#include "hone/report/sections/text_table.h"

namespace hone {
namespace {

Blocks device_figures_blocks(const DeviceComparison& comparison, const ShowOptions&) {
  DataTable table = text_table(compare_cells(comparison));
  table.turned = true;
  return {table};
}

}  // namespace

extern const SectionDef section_device_figures = {.title = "All figures",
                                                  .of_comparison = device_figures_blocks};

}  // namespace hone
