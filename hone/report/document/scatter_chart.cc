#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "hone/base/str.h"
#include "hone/report/document/charts.h"
#include "hone/report/document/linear_axis.h"
#include "hone/report/document/log_axis.h"
#include "hone/report/document/svg.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

constexpr double kLetter = 7;  // The width of one, about.

// Where the axes lie. A page has the chart twice, and shows the one that fits the window.
struct ChartFrame {
  std::string_view name;
  double width, height, left, right, top, bottom;
};
constexpr ChartFrame kFrames[] = {{"wide", 760, 430, 70, 740, 16, 380},
                                  {"narrow", 340, 430, 52, 330, 16, 380}};

double low_of(const Metric& metric) {
  return metric.low && *metric.low > 0 ? *metric.low : *metric.value;
}
double high_of(const Metric& metric) {
  return metric.high.value_or(*metric.value);
}

std::optional<double> drawn_limit(const ScatterChart& chart) {
  const bool drawable = chart.limit && *chart.limit > 0 && std::isfinite(*chart.limit);
  return drawable ? chart.limit : std::nullopt;
}

struct ChartAxis {
  std::function<double(double)> at;
  std::vector<double> ticks;
};

template <class Axis>
ChartAxis chart_axis(const Axis& axis) {
  return {[axis](double value) { return axis.at(value); }, axis.ticks()};
}

ChartAxis axis_of(const std::vector<ScatterPoint>& points, Metric ScatterPoint::*metric,
                  double from, double to, bool linear = false, std::optional<double> also = {}) {
  double least = low_of(points[0].*metric), most = high_of(points[0].*metric);
  for (const ScatterPoint& point : points) {
    least = std::min(least, low_of(point.*metric));
    most = std::max(most, high_of(point.*metric));
  }
  least = std::min(least, also.value_or(least));
  most = std::max(most, also.value_or(most));
  return linear ? chart_axis(LinearAxis(least, most, from, to))
                : chart_axis(LogAxis(least, most, from, to));
}

// As many as there is room for side by side.
std::vector<double> some_of(const std::vector<double>& ticks, double width) {
  constexpr double kTickWidth = 46;
  const auto room = std::max<size_t>(2, static_cast<size_t>(width / kTickWidth));
  const size_t step = (ticks.size() + room - 1) / room;
  std::vector<double> some;
  for (size_t i = 0; i < ticks.size(); i += step) some.push_back(ticks[i]);
  return some;
}

std::string axes(const ScatterChart& chart, const ChartFrame& in, const ChartAxis& x,
                 const ChartAxis& y) {
  std::string svg;
  for (const double tick : some_of(x.ticks, in.right - in.left)) {
    svg += svg_line("grid", x.at(tick), in.top, x.at(tick), in.bottom);
    svg += svg_text("tick", x.at(tick), in.bottom + 18, "middle", svg_number(tick));
  }
  for (const double tick : y.ticks) {
    svg += svg_line("grid", in.left, y.at(tick), in.right, y.at(tick));
    svg += svg_text("tick", in.left - 8, y.at(tick) + 4, "end", svg_number(tick));
  }
  svg += svg_text("of_axis", (in.left + in.right) / 2, in.bottom + 40, "middle", chart.x_axis);
  return svg + fmt::format(
                   "<text class=\"of_axis\" transform=\"translate(16 {:.0f}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n",
                   (in.top + in.bottom) / 2, html_plain(chart.y_axis));
}

// From the left on, each point that is better than all before it.
std::string front_line(const ScatterChart& chart, const std::vector<ScatterPoint>& points,
                       const ChartAxis& x, const ChartAxis& y) {
  std::vector<std::string> places;
  double best = 0;
  for (const ScatterPoint& point : points) {
    const double value = *point.y.value;
    const bool better = chart.more_y_is_better ? value > best : value < best;
    if (!places.empty() && !better) continue;
    best = value;
    places.push_back(fmt::format("{:.1f},{:.1f}", x.at(*point.x.value), y.at(best)));
  }
  if (places.size() < 2) return "";
  return str("<polyline class=\"front\" points=\"", join(places, " "), "\"/>\n");
}

std::string marks(const std::vector<ScatterPoint>& points, const ChartAxis& x, const ChartAxis& y) {
  std::string svg;
  for (const ScatterPoint& point : points) {
    const double px = x.at(*point.x.value), py = y.at(*point.y.value);
    svg += svg_line("whisker", x.at(low_of(point.x)), py, x.at(high_of(point.x)), py);
    svg += svg_line("whisker", px, y.at(low_of(point.y)), px, y.at(high_of(point.y)));
    svg += fmt::format("<circle class=\"spot {}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>\n",
                       mode_name(point.x.mode), point.filled ? " best" : "", px, py);
  }
  return svg;
}

std::string limit_line(const ScatterChart& chart, const ChartFrame& in, const ChartAxis& x) {
  if (!drawn_limit(chart)) return "";
  return svg_line("limit", x.at(*chart.limit), in.top, x.at(*chart.limit), in.bottom);
}

// Names stand beside their points; one that would cover a point, an interval of latency or another
// name moves down.
std::string names(const std::vector<ScatterPoint>& points, const ChartFrame& in, const ChartAxis& x,
                  const ChartAxis& y) {
  constexpr double kLine = 14, kThin = 10;
  struct Box {
    double left, right, y;
    double height = kLine;
  };
  std::vector<Box> taken;
  for (const ScatterPoint& point : points) {
    const double px = x.at(*point.x.value);
    const double py = y.at(*point.y.value) + 4;
    taken.push_back({px - 7, px + 7, py});
    taken.push_back({x.at(low_of(point.x)), x.at(high_of(point.x)), py, kThin});
  }
  std::string svg;
  for (const ScatterPoint& point : points) {
    const double width = kLetter * static_cast<double>(point.name.size());
    const double px = x.at(*point.x.value);
    const bool before = px + 12 + width > in.right;
    Box box{before ? px - 10 - width : px + 10, before ? px - 10 : px + 10 + width,
            y.at(*point.y.value) - 8};
    const auto covers = [&](const Box& other) {
      return other.left < box.right && box.left < other.right &&
             std::abs(other.y - box.y) < other.height;
    };
    while (std::ranges::any_of(taken, covers)) box.y += kLine;
    taken.push_back(box);
    svg += svg_text("name", before ? box.right : box.left, box.y, before ? "end" : "start",
                    point.name);
  }
  return svg;
}

// `points` are from left to right.
std::string svg_in(const ChartFrame& in, const ScatterChart& chart,
                   const std::vector<ScatterPoint>& points) {
  const ChartAxis x =
      axis_of(points, &ScatterPoint::x, in.left, in.right, chart.linear_x, drawn_limit(chart));
  const ChartAxis y = axis_of(points, &ScatterPoint::y, in.bottom, in.top, chart.linear_y);
  const std::string title = html_plain(chart.title);
  return fmt::format(
             "<svg class=\"scatter {}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
             "aria-label=\"{}\">\n<title>{}</title>\n",
             in.name, in.width, in.height, title, title) +
         axes(chart, in, x, y) + limit_line(chart, in, x) +
         (chart.front ? front_line(chart, points, x, y) : "") + marks(points, x, y) +
         names(points, in, x, y) + "</svg>\n";
}

}  // namespace

std::string svg_of(const ScatterChart& chart) {
  std::vector<ScatterPoint> points = chart.points;
  // Logarithms need more than nothing, and an axis an end.
  const auto is_drawable = [](const Metric& metric) {
    return metric.value.value_or(0) > 0 && std::isfinite(*metric.value) &&
           std::isfinite(low_of(metric)) && std::isfinite(high_of(metric));
  };
  std::erase_if(points, [&](const ScatterPoint& point) {
    return !is_drawable(point.x) || !is_drawable(point.y);
  });
  if (points.size() < 2) return "";
  // Of those as far to the left the better one first.
  const double sign = chart.more_y_is_better ? -1 : 1;
  std::ranges::stable_sort(points, [sign](const ScatterPoint& a, const ScatterPoint& b) {
    if (*a.x.value != *b.x.value) return *a.x.value < *b.x.value;
    return sign * *a.y.value < sign * *b.y.value;
  });
  std::string svg;
  for (const ChartFrame& frame : kFrames) svg += svg_in(frame, chart, points);
  return svg;
}

}  // namespace hone
