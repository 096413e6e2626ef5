#include "hone/base/percent.h"
#include "hone/base/text.h"
#include "hone/device/fitted_device.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks fitted_points_blocks(const FittedDevice& fit, const ShowOptions&) {
  DataTable table{.columns = {{"model"},
                              {"measured ms", true},
                              {"before ms", true},
                              {"error %", true},
                              {"after ms", true},
                              {"error %", true},
                              {"left out %", true}}};
  for (const FittedPoint& point : fit.points) {
    const double ms = point.measured.latency_ms;
    table.rows.push_back({label_of(point.measured), fixed(ms, 3), fixed(point.before_ms, 3),
                          signed_percent_figure(point.before_ms / ms - 1), fixed(point.after_ms, 3),
                          signed_percent_figure(point.after_ms / ms - 1),
                          point.left_out ? signed_percent_figure(*point.left_out) : "-"});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_fitted_points = {.title = "Latencies",
                                                 .of_fit = fitted_points_blocks};

}  // namespace hone
