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
  Sentences notes;
  if (std::string few = few_devices_text(learned); !few.empty()) notes.lines.push_back(few);
  for (const std::string& row : learned.odd_rows) notes.lines.push_back("far off: " + row);
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
  if (table.rows.empty()) {
    notes.lines.push_back(
        "nothing could be held out: intervals are what is assumed of any class of devices");
    return {notes};
  }
  notes.lines.push_back(
      "intervals are to hold nine of ten times of the next device: the fewer there were, the wider "
      "they are");
  return {table, notes};
}

}  // namespace

extern const SectionDef section_class_accuracy = {.title = "Accuracy, cross-validated",
                                                  .of_class = class_accuracy_blocks};

}  // namespace hone
