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

constexpr double kStepsHigh = 330, kStepsTop = 30, kStepsBottom = 280;

// From side to side. A page has the chart twice, and shows the one that fits the window.
struct StepFrame {
  std::string_view name;
  double width, left, right, name_width;
};
constexpr StepFrame kStepFrames[] = {{"wide", 760, 70, 740, 200}, {"narrow", 340, 52, 330, 130}};

// Time goes from one side to the other, without the room that other axes leave.
class TimeAxis {
 public:
  TimeAxis(const StepFrame& in, double end) : in_(in), end_(end) {}

  double at(double value) const { return in_.left + (in_.right - in_.left) * value / end_; }
  std::vector<double> ticks() const {
    std::vector<double> ticks = LinearAxis(0, end_, in_.left, in_.right).ticks();
    std::erase_if(ticks, [&](double tick) { return tick < 0 || tick > end_; });
    return ticks;
  }

 private:
  const StepFrame& in_;
  double end_;
};

struct StepAxes {
  const StepFrame& in;
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
    svg += svg_line("grid", axes.in.left, y, axes.in.right, y);
    svg += svg_text("tick", axes.in.left - 8, y + 4, "end", svg_number(tick));
  }
  svg += svg_text("of_axis", (axes.in.left + axes.in.right) / 2, kStepsBottom + 40, "middle",
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

std::string svg_in(const StepChart& chart, const StepAxes& axes) {
  std::string svg = fmt::format(
      "<svg class=\"scatter {}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\">\n<title>{}</title>\n",
      axes.in.name, axes.in.width, kStepsHigh, html_plain(chart.title), html_plain(chart.title));
  svg += step_grid(chart, axes);
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    svg += steps_of(chart.lines[i], i, chart.end, axes);
    svg += svg_text(fmt::format("name line{}", i),
                    axes.in.left + axes.in.name_width * static_cast<double>(i), 16, "start",
                    chart.lines[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace

std::string svg_of(const StepChart& chart) {
  const std::vector<double> values = drawn_values(chart);
  if (values.empty() || chart.end <= 0) return "";
  const LogAxis y(values.front(), values.back(), kStepsBottom, kStepsTop);
  std::string svg;
  for (const StepFrame& frame : kStepFrames) {
    svg += svg_in(chart, {frame, TimeAxis(frame, chart.end), y});
  }
  return svg;
}

}  // namespace hone
