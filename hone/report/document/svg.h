// Elements of SVG.
#pragma once

#include <string>
#include <string_view>

namespace hone {

std::string svg_line(std::string_view css, double x1, double y1, double x2, double y2);
std::string svg_text(std::string_view css, double x, double y, std::string_view anchor,
                     std::string_view text);
// Three digits that mean something: "0.0456", "1.23", "12345".
std::string svg_number(double value);

}  // namespace hone
