#include "hone/base/text.h"
#include "hone/device/device_class.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

std::string in_percent(double part) {
  return fixed(100 * part, 1);
}

std::string taken_text(const ClassAccuracy& accuracy) {
  if (accuracy.points == 0) return "-";
  return accuracy.planned ? "by plan" : "at random";
}

Blocks class_accuracy_blocks(const DeviceClass& learned, const ShowOptions&) {
  DataTable table{.columns = {{"not seen before"},
                              {"points of the device", true},
                              {"taken"},
                              {"median error, %", true},
                              {"p90, %", true},
                              {"in interval, %", true},
                              {"interval, +%", true},
                              {"n", true}}};
  for (const ClassAccuracy& accuracy : learned.accuracy) {
    table.rows.push_back({std::string(name_of(accuracy.held_out)), str(accuracy.points),
                          taken_text(accuracy), in_percent(accuracy.median_error),
                          in_percent(accuracy.p90_error), in_percent(accuracy.held),
                          in_percent(accuracy.half_width), str(accuracy.predictions)});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_class_accuracy = {.title = "Accuracy, cross-validated",
                                                  .of_class = class_accuracy_blocks};

}  // namespace hone
