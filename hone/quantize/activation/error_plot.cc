#include "hone/quantize/activation/error_plot.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kWidth = 720;
constexpr double kTop = 220;     // Height of the function's panel,
constexpr double kBottom = 130;  // and of the error's.
constexpr double kPlotMargin = 48;
constexpr int kMostDots = 1024;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

std::string label(double x, double y, const std::string& text, const char* anchor = "start") {
  return str("<text x=\"", fixed(x, 1), "\" y=\"", fixed(y, 1), "\" text-anchor=\"", anchor, "\">",
             escaped(text), "</text>\n");
}

std::string line(const std::string& points, const char* colour, double width) {
  return str("<polyline points=\"", points, "\" fill=\"none\" stroke=\"", colour,
             "\" stroke-width=\"", width, "\"/>\n");
}

struct Point {
  double x;
  double y;
};

std::string text_of(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) text += str(fixed(point.x, 1), ",", fixed(point.y, 1), " ");
  return text;
}

}  // namespace

std::string error_plot(const QuantizedFunction& function,
                       const std::function<int32_t(int32_t)>& implementation,
                       const std::string& title) {
  const CodeType& in = function.in();
  const CodeType& out = function.out();
  const double worst = std::max(check_every_code(function, implementation).worst, 0.5);
  const int32_t step = std::max(1, (in.last() - in.first() + 1) / kMostDots);
  std::vector<Point> exact;
  std::vector<Point> given;
  std::vector<Point> error;
  for (int32_t code = in.first(); code <= in.last(); code += step) {
    const double x = kPlotMargin + (kWidth - 2 * kPlotMargin) * (code - in.first()) /
                                       static_cast<double>(in.last() - in.first());
    const auto height = [&](double y) {
      return kPlotMargin +
             kTop * (1 - (y - out.first()) / static_cast<double>(out.last() - out.first()));
    };
    exact.push_back({x, height(function.exact(code))});
    given.push_back({x, height(implementation(code))});
    const double part = (implementation(code) - function.exact(code)) / worst;
    error.push_back({x, 2 * kPlotMargin + kTop + kBottom / 2 * (1 - part)});
  }
  const double right = kWidth - kPlotMargin;
  const double middle = 2 * kPlotMargin + kTop + kBottom / 2;
  std::string svg = str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth,
                        "\" height=\"", 3 * kPlotMargin + kTop + kBottom,
                        "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
  svg += label(kPlotMargin, 24, title);
  svg += line(text_of(exact), "#9aa4b2", 4) + line(text_of(given), "#2357c5", 1.5);
  svg += line(str(kPlotMargin, ",", middle, " ", right, ",", middle), "#c8ced6", 1);
  svg += line(text_of(error), "#c43d3d", 1);
  svg += label(kPlotMargin, middle - kBottom / 2 - 6,
               str("error, units of the last place; worst ", fixed(worst, 3)));
  svg += label(kPlotMargin, 2.7 * kPlotMargin + kTop + kBottom, str("x = ", in.real(in.first())));
  svg += label(right, 2.7 * kPlotMargin + kTop + kBottom, str("x = ", in.real(in.last())), "end");
  return svg + "</svg>\n";
}

}  // namespace hone
