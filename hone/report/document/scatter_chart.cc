#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/report/document/charts.h"
#include "hone/report/document/log_axis.h"
#include "hone/report/document/svg.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

constexpr double kLetter = 7;  // The width of one, about.
constexpr double kWidth = 760;
constexpr double kHeight = 430;
constexpr double kLeft = 70, kRight = 740, kTop = 16, kBottom = 380;

double low_of(const Metric& metric) {
  return metric.low && *metric.low > 0 ? *metric.low : *metric.value;
}
double high_of(const Metric& metric) {
  return metric.high.value_or(*metric.value);
}

LogAxis axis_of(const std::vector<ScatterPoint>& points, Metric ScatterPoint::*metric, double from,
                double to) {
  double least = low_of(points[0].*metric), most = high_of(points[0].*metric);
  for (const ScatterPoint& point : points) {
    least = std::min(least, low_of(point.*metric));
    most = std::max(most, high_of(point.*metric));
  }
  return LogAxis(least, most, from, to);
}

std::string axes(const ScatterChart& chart, const LogAxis& x, const LogAxis& y) {
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += svg_line("grid", x.at(tick), kTop, x.at(tick), kBottom);
    svg += svg_text("tick", x.at(tick), kBottom + 18, "middle", svg_number(tick));
  }
  for (const double tick : y.ticks()) {
    svg += svg_line("grid", kLeft, y.at(tick), kRight, y.at(tick));
    svg += svg_text("tick", kLeft - 8, y.at(tick) + 4, "end", svg_number(tick));
  }
  svg += svg_text("of_axis", (kLeft + kRight) / 2, kBottom + 40, "middle", chart.x_axis);
  return svg + fmt::format(
                   "<text class=\"of_axis\" transform=\"translate(16 {:.0f}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n",
                   (kTop + kBottom) / 2, html_plain(chart.y_axis));
}

// From the left on, each point that is lower than all before it.
std::string front_line(const std::vector<ScatterPoint>& points, const LogAxis& x,
                       const LogAxis& y) {
  std::vector<std::string> places;
  double lowest = 0;
  for (const ScatterPoint& point : points) {
    if (!places.empty() && *point.y.value >= lowest) continue;
    lowest = *point.y.value;
    places.push_back(fmt::format("{:.1f},{:.1f}", x.at(*point.x.value), y.at(lowest)));
  }
  if (places.size() < 2) return "";
  return str("<polyline class=\"front\" points=\"", join(places, " "), "\"/>\n");
}

std::string marks(const std::vector<ScatterPoint>& points, const LogAxis& x, const LogAxis& y) {
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

// Names stand beside their points; one that would cover a point or another name moves down.
std::string names(const std::vector<ScatterPoint>& points, const LogAxis& x, const LogAxis& y) {
  constexpr double kLine = 14;
  struct Box {
    double left, right, y;
  };
  std::vector<Box> taken;
  for (const ScatterPoint& point : points) {
    const double px = x.at(*point.x.value);
    taken.push_back({px - 7, px + 7, y.at(*point.y.value) + 4});
  }
  std::string svg;
  for (const ScatterPoint& point : points) {
    const double width = kLetter * static_cast<double>(point.name.size());
    const double px = x.at(*point.x.value);
    const bool before = px + 12 + width > kRight;
    Box box{before ? px - 10 - width : px + 10, before ? px - 10 : px + 10 + width,
            y.at(*point.y.value) - 8};
    const auto covers = [&](const Box& other) {
      return other.left < box.right && box.left < other.right && std::abs(other.y - box.y) < kLine;
    };
    while (std::ranges::any_of(taken, covers)) box.y += kLine;
    taken.push_back(box);
    svg += svg_text("name", before ? box.right : box.left, box.y, before ? "end" : "start",
                    point.name);
  }
  return svg;
}

}  // namespace

std::string svg_of(const ScatterChart& chart) {
  std::vector<ScatterPoint> points = chart.points;
  // Logarithms need more than nothing.
  const auto is_drawable = [](const Metric& metric) { return metric.value.value_or(0) > 0; };
  std::erase_if(points, [&](const ScatterPoint& point) {
    return !is_drawable(point.x) || !is_drawable(point.y);
  });
  if (points.size() < 2) return "";
  std::ranges::stable_sort(points, {}, [](const ScatterPoint& point) { return *point.x.value; });
  const LogAxis x = axis_of(points, &ScatterPoint::x, kLeft, kRight);
  const LogAxis y = axis_of(points, &ScatterPoint::y, kBottom, kTop);
  const std::string title = html_plain(chart.title);
  return fmt::format(
             "<svg class=\"scatter\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
             "aria-label=\"{}\">\n<title>{}</title>\n",
             kWidth, kHeight, title, title) +
         axes(chart, x, y) + (chart.front ? front_line(points, x, y) : "") + marks(points, x, y) +
         names(points, x, y) + "</svg>\n";
}

}  // namespace hone
