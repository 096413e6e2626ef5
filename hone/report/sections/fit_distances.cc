#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/fit_verdict.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// Which points lie outside of what the device says of itself, and how it may come about.
Sentences outside_lines(const FittedDevice& fit) {
  Sentences lines;
  for (const FittedPoint& point : fit.points) {
    if (is_held(fit, point)) continue;
    const bool longer = point.measured.latency_ms > point.after_ms;
    lines.lines.push_back(str(
        label_of(point.measured), " took ", longer ? "longer" : "less", " than expected: ",
        longer
            ? "perhaps something held it up that the others did not meet, or it runs an operator "
              "without a fast kernel"
            : "perhaps the device has a way for it that the model does not know, or it was "
              "measured in another precision"));
  }
  return lines;
}

// Charts are for pages: a terminal has the table of latencies.
Blocks fit_distances_blocks(const FittedDevice& fit, const ShowOptions& show) {
  if (!show.page || fit.points.empty()) return {};
  const bool left_out = std::ranges::all_of(
      fit.points, [](const FittedPoint& point) { return point.left_out.has_value(); });
  BarChart chart{
      .title = left_out ? "Predicted by a fit to all other points, as factors off the measured time"
                        : "After the fit, as factors off the measured time",
      .caption = "The line is the interval of the device: what lies beyond it is not expected.",
      .limit = fit.device.fit->error};
  for (const FittedPoint& point : fit.points) {
    const double distance = distance_of(point);
    chart.bars.push_back({.name = label_of(point.measured),
                          .value = distance,
                          .text = fixed(1 + distance, 2),
                          .tone = is_held(fit, point) ? Tone::Good : Tone::Bad});
  }
  return {chart, outside_lines(fit)};
}

}  // namespace

extern const SectionDef section_fit_distances = {.title = "What fits",
                                                 .of_fit = fit_distances_blocks};

}  // namespace hone
