#include "hone/base/text.h"
#include "hone/device/fitted_device.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks fitted_energies_blocks(const FittedDevice& fit, const ShowOptions&) {
  DataTable table{
      .columns = {{"model"}, {"measured mJ", true}, {"before mJ", true}, {"after mJ", true}}};
  for (const FittedPoint& point : fit.points) {
    if (!point.measured.energy_mj) continue;
    table.rows.push_back({label_of(point.measured), fixed(*point.measured.energy_mj, 4),
                          fixed(point.before_mj, 4), fixed(point.after_mj, 4)});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_fitted_energies = {.title = "Energies",
                                                   .of_fit = fitted_energies_blocks};

}  // namespace hone
