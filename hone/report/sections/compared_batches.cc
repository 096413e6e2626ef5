#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/compare_cells.h"
#include "hone/report/sections/text_table.h"

namespace hone {
namespace {

// A row for each batch, a column for each device; a dash where it was settled before.
std::vector<std::vector<std::string>> batch_rows(const DeviceComparison& comparison) {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows = {{"batch"}};
  for (const BatchFigures& device : comparison.batches.front().devices) {
    names.push_back(device.device);
    rows[0].push_back(device.device + ", ms");
  }
  for (const ComparedBatch& batch : comparison.batches) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(str(batch.batch));
    for (const std::string& name : names) {
      const auto found = std::ranges::find(batch.devices, name, &BatchFigures::device);
      row.push_back(figure_cell(found == batch.devices.end() ? nullptr : &found->whole));
    }
  }
  return rows;
}

Blocks compared_batches_blocks(const DeviceComparison& comparison, const ShowOptions&) {
  if (comparison.batches.size() < 2) return {};
  return {text_table(batch_rows(comparison))};
}

}  // namespace

extern const SectionDef section_compared_batches = {.title = "Batches, copies included",
                                                    .of_comparison = compared_batches_blocks};

}  // namespace hone
