#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/report/document/charts.h"
#include "hone/report/document/linear_axis.h"
#include "hone/report/document/log_axis.h"
#include "hone/report/document/svg.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

constexpr double kStepsWide = 760, kStepsHigh = 330;
constexpr double kStepsLeft = 70, kStepsRight = 740, kStepsTop = 30, kStepsBottom = 280;

// Time goes from one side to the other, without the room that other axes leave.
class TimeAxis {
 public:
  explicit TimeAxis(double end) : end_(end) {}

  double at(double value) const { return kStepsLeft + (kStepsRight - kStepsLeft) * value / end_; }
  std::vector<double> ticks() const {
    std::vector<double> ticks = LinearAxis(0, end_, kStepsLeft, kStepsRight).ticks();
    std::erase_if(ticks, [&](double tick) { return tick < 0 || tick > end_; });
    return ticks;
  }

 private:
  double end_;
};

struct StepAxes {
  TimeAxis x;
  LogAxis y;
};

// Positive and finite, least first; nothing where there is none.
std::vector<double> drawn_values(const StepChart& chart) {
  std::vector<double> values;
  for (const StepLine& line : chart.lines) {
    for (const auto& [x, y] : line.steps) {
      if (std::isfinite(y) && y > 0) values.push_back(y);
    }
  }
  std::ranges::sort(values);
  return values;
}

std::string step_grid(const StepChart& chart, const StepAxes& axes) {
  std::string svg;
  for (const double tick : axes.x.ticks()) {
    const double x = axes.x.at(tick);
    svg += svg_line("grid", x, kStepsTop, x, kStepsBottom);
    svg += svg_text("tick", x, kStepsBottom + 18, "middle", svg_number(tick));
  }
  for (const double tick : axes.y.ticks()) {
    const double y = axes.y.at(tick);
    svg += svg_line("grid", kStepsLeft, y, kStepsRight, y);
    svg += svg_text("tick", kStepsLeft - 8, y + 4, "end", svg_number(tick));
  }
  svg += svg_text("of_axis", (kStepsLeft + kStepsRight) / 2, kStepsBottom + 40, "middle",
                  chart.x_axis);
  return svg + fmt::format(
                   "<text class=\"of_axis\" transform=\"translate(16 {:.0f}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n",
                   (kStepsTop + kStepsBottom) / 2, html_plain(chart.y_axis));
}

std::string steps_of(const StepLine& line, size_t index, double end, const StepAxes& axes) {
  std::vector<std::string> places;
  for (size_t i = 0; i < line.steps.size(); ++i) {
    const auto& [from, value] = line.steps[i];
    if (!std::isfinite(value) || value <= 0) continue;
    const double to = i + 1 < line.steps.size() ? line.steps[i + 1].first : end;
    for (const double x : {from, to}) {
      places.push_back(fmt::format("{:.1f},{:.1f}", axes.x.at(x), axes.y.at(value)));
    }
  }
  return fmt::format("<polyline class=\"steps line{}\" points=\"{}\"/>\n", index,
                     join(places, " "));
}

}  // namespace

std::string svg_of(const StepChart& chart) {
  const std::vector<double> values = drawn_values(chart);
  if (values.empty() || chart.end <= 0) return "";
  const StepAxes axes{TimeAxis(chart.end),
                      LogAxis(values.front(), values.back(), kStepsBottom, kStepsTop)};
  std::string svg = fmt::format(
      "<svg class=\"scatter\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\">\n<title>{}</title>\n",
      kStepsWide, kStepsHigh, html_plain(chart.title), html_plain(chart.title));
  svg += step_grid(chart, axes);
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    svg += steps_of(chart.lines[i], i, chart.end, axes);
    svg += svg_text(fmt::format("name line{}", i), kStepsLeft + 200 * static_cast<double>(i), 16,
                    "start", chart.lines[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace hone
