#include "hone/report/document/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "hone/report/document/writers.h"

namespace hone {

std::string svg_line(std::string_view css, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", css, x1, y1,
      x2, y2);
}

std::string svg_text(std::string_view css, double x, double y, std::string_view anchor,
                     std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     css, x, y, anchor, html_plain(text));
}

std::string svg_number(double value) {
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace hone
