#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/base/short_name.h"
#include "hone/report/document/charts.h"
#include "hone/report/document/log_axis.h"
#include "hone/report/document/tone.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

constexpr double kRow = 40;      // A line of text, and the bar below it.
constexpr size_t kLongest = 34;  // Letters of a name beside its value on a telephone;
constexpr size_t kLongestAtDesk = 64;

std::string css_of(const Bar& bar) {
  return std::string(bar.mode ? mode_name(*bar.mode) : css_name(bar.tone));
}

// What an axis can show.
double drawn(double value) {
  return std::isfinite(value) ? value : 0;
}

double most_of(const BarChart& chart) {
  double most = drawn(chart.limit.value_or(0));
  for (const Bar& bar : chart.bars) {
    most = std::max({most, drawn(bar.value), drawn(bar.high.value_or(0))});
  }
  return most;
}

// The least value that a logarithmic axis has to show.
double least_bar_of(const BarChart& chart) {
  double least = most_of(chart);
  if (chart.limit && *chart.limit > 0) least = std::min(least, *chart.limit);
  for (const Bar& bar : chart.bars) {
    const double low = bar.low && *bar.low > 0 ? *bar.low : bar.value;
    if (drawn(low) > 0) least = std::min(least, low);
  }
  return least;
}

// Where values lie, in percent of the width.
class Scale {
 public:
  explicit Scale(const BarChart& chart)
      : logarithmic_(chart.logarithmic && most_of(chart) > 0),
        most_(most_of(chart)),
        log_(logarithmic_ ? least_bar_of(chart) : 1, logarithmic_ ? most_ : 10, 0, 100) {}

  double at(double value) const {
    if (!std::isfinite(value)) return value > 0 ? 100 : 0;
    const double place = logarithmic_ ? (value > 0 ? log_.at(value) : 0)
                         : most_ > 0  ? 100 * value / most_
                                      : 0;
    return std::clamp(place, 0.0, 100.0);
  }

 private:
  bool logarithmic_;
  double most_;
  LogAxis log_;
};

std::string open_svg(double height, const std::string& title) {
  return fmt::format(
      "<svg class=\"rows\" width=\"100%\" height=\"{:.0f}\" role=\"img\" "
      "aria-label=\"{}\">\n<title>{}</title>\n",
      height, html_plain(title), html_plain(title));
}

std::string name_at(double x, double y, std::string_view css, const std::string& name) {
  return fmt::format("<text class=\"name{}\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", css, x, y,
                     html_plain(name));
}

// The name, twice if it is too long for a telephone: a page shows the one that fits; and the value.
std::string words(const Bar& bar, double x, double y) {
  const std::string narrow = short_name(bar.name, kLongest);
  const std::string wide = short_name(bar.name, kLongestAtDesk);
  const std::string name = narrow == wide
                               ? name_at(x, y, "", wide)
                               : name_at(x, y, " wide", wide) + name_at(x, y, " narrow", narrow);
  return name + fmt::format(
                    "<text class=\"value\" x=\"100%\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>\n",
                    y, html_plain(bar.text));
}

std::string bar_at(const Bar& bar, const Scale& scale, double top) {
  std::string svg = words(bar, 0, top + 14);
  svg += fmt::format(
      "<rect class=\"ground\" x=\"0\" y=\"{0:.0f}\" width=\"100%\" height=\"9\" rx=\"4\"/>\n"
      "<rect class=\"beam {1}\" x=\"0\" y=\"{0:.0f}\" width=\"{2:.2f}%\" height=\"9\" rx=\"4\"/>\n",
      top + 20, css_of(bar), scale.at(bar.value));
  if (bar.low && bar.high) {
    svg += fmt::format(
        "<line class=\"whisker\" x1=\"{0:.2f}%\" y1=\"{2:.1f}\" x2=\"{1:.2f}%\" y2=\"{2:.1f}\"/>\n",
        scale.at(*bar.low), scale.at(*bar.high), top + 24.5);
  }
  return svg;
}

// Across the beam alone: words stand above it.
std::string limit_at(double place, double top) {
  return fmt::format(
      "<line class=\"limit\" x1=\"{0:.2f}%\" y1=\"{1:.0f}\" x2=\"{0:.2f}%\" y2=\"{2:.0f}\"/>\n",
      place, top + 19, top + 32);
}

}  // namespace

std::string svg_of(const BarChart& chart) {
  if (chart.bars.empty()) return "";
  const Scale scale(chart);
  const double height = kRow * static_cast<double>(chart.bars.size());
  std::string svg = open_svg(height, chart.title);
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    svg += bar_at(chart.bars[i], scale, kRow * static_cast<double>(i));
  }
  for (size_t i = 0; chart.limit && i < chart.bars.size(); ++i) {
    svg += limit_at(scale.at(*chart.limit), kRow * static_cast<double>(i));
  }
  return svg + "</svg>\n";
}

std::string svg_of(const PartsChart& chart) {
  double whole = 0;
  for (const Bar& part : chart.parts) whole += part.value;
  if (!std::isfinite(whole) || whole <= 0) return "";
  std::string parts, rows;
  double left = 0, top = 34;
  for (const Bar& part : chart.parts) {
    const double width = 100 * part.value / whole;
    parts += fmt::format(
        "<rect class=\"beam {}\" x=\"{:.2f}%\" y=\"2\" width=\"{:.2f}%\" height=\"22\"/>\n",
        css_of(part), left, width);
    rows += fmt::format(
        "<rect class=\"beam {}\" x=\"0\" y=\"{:.0f}\" width=\"10\" height=\"10\" "
        "rx=\"3\"/>\n",
        css_of(part), top + 5);
    rows += words(part, 18, top + 14);
    left += width;
    top += 24;
  }
  return open_svg(top, chart.title) + parts + rows + "</svg>\n";
}

}  // namespace hone
