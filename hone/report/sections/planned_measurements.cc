#include "hone/base/text.h"
#include "hone/device/measurement_plan.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks planned_measurement_blocks(const MeasurementPlan& plan, const ShowOptions&) {
  DataTable table{.columns = {{"measure next"},
                              {"ms, predicted", true},
                              {"typical interval after it, +%", true}}};
  for (const PlannedMeasurement& next : plan.measurements) {
    table.rows.push_back({next.network, millis(next.ms), fixed(100 * next.half_width, 0)});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_planned_measurements = {.title = "Measurements to make",
                                                        .of_plan = planned_measurement_blocks};

}  // namespace hone
