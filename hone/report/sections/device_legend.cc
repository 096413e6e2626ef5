#include "hone/report/compare_cells.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks device_legend_blocks(const DeviceComparison& comparison, const ShowOptions& show) {
  return {Sentences{compare_legend(comparison, show.words)}, Sentences{compare_notes(comparison)}};
}

}  // namespace

extern const SectionDef section_device_legend = {.title = "Notes",
                                                 .of_comparison = device_legend_blocks};

}  // namespace hone
