#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/report/document/charts.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

constexpr double kStackRow = 54;   // A line of text, and the bar below it.
constexpr double kStackHigh = 20;  // The bar.
constexpr double kKeyRow = 22;
constexpr size_t kPartColours = 5;

double whole_of(const StackedBar& bar) {
  return std::accumulate(bar.values.begin(), bar.values.end(), 0.0);
}

std::string words_of(const StackedBar& bar, double top) {
  return fmt::format(
      "<text class=\"name\" x=\"0\" y=\"{0:.0f}\">{1}</text>\n"
      "<text class=\"value\" x=\"100%\" y=\"{0:.0f}\" text-anchor=\"end\">{2}</text>\n"
      "<rect class=\"ground\" x=\"0\" y=\"{3:.0f}\" width=\"100%\" height=\"{4:.0f}\"/>\n",
      top + 14, html_plain(bar.name), html_plain(bar.text), top + 22, kStackHigh);
}

// `scale` is percent of the width for one.
std::string stack_at(const StackedBar& bar, double scale, double top) {
  std::string svg = words_of(bar, top);
  double left = 0;
  for (size_t i = 0; i < bar.values.size(); ++i) {
    const double width = scale * bar.values[i];
    svg += fmt::format(
        "<rect class=\"beam part{}\" x=\"{:.2f}%\" y=\"{:.0f}\" width=\"{:.2f}%\" "
        "height=\"{:.0f}\"/>\n",
        i % kPartColours, left, top + 22, width, kStackHigh);
    left += width;
  }
  if (bar.low && bar.high) {
    svg += fmt::format(
        "<line class=\"whisker\" x1=\"{0:.2f}%\" y1=\"{2:.0f}\" x2=\"{1:.2f}%\" y2=\"{2:.0f}\"/>\n",
        scale * *bar.low, scale * *bar.high, top + 22 + kStackHigh / 2);
  }
  return svg;
}

std::string key_of(const std::string& part, size_t index, double top) {
  return fmt::format(
      "<rect class=\"beam part{}\" x=\"0\" y=\"{:.0f}\" width=\"10\" height=\"10\" rx=\"3\"/>\n"
      "<text class=\"name\" x=\"18\" y=\"{:.0f}\">{}</text>\n",
      index % kPartColours, top + 3, top + 12, html_plain(part));
}

}  // namespace

std::string svg_of(const StackedChart& chart) {
  double most = 0;
  for (const StackedBar& bar : chart.bars) {
    most = std::max({most, whole_of(bar), bar.high.value_or(0)});
  }
  if (!std::isfinite(most) || most <= 0) return "";
  std::string body;
  double top = 0;
  for (const StackedBar& bar : chart.bars) {
    body += stack_at(bar, 100 / most, top);
    top += kStackRow;
  }
  for (size_t i = 0; i < chart.parts.size(); ++i) {
    body += key_of(chart.parts[i], i, top);
    top += kKeyRow;
  }
  return fmt::format(
             "<svg class=\"rows\" width=\"100%\" height=\"{0:.0f}\" role=\"img\" "
             "aria-label=\"{1}\">\n<title>{1}</title>\n",
             top, html_plain(chart.title)) +
         body + "</svg>\n";
}

}  // namespace hone
