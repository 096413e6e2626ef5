#include "hone/report/compare_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "hone/base/str.h"

namespace hone {
namespace {

// A logarithmic axis over whole halves of a decade.
class LogAxis {
 public:
  LogAxis(double least, double most, double from, double to)
      : low_(std::floor(2 * std::log10(least) - 0.2) / 2),
        high_(std::ceil(2 * std::log10(most) + 0.2) / 2),
        from_(from),
        to_(to) {}

  double at(double value) const {
    return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
  }

  // 1, 10, 100 ...; with 2 and 5 between them where the axis is short.
  std::vector<double> ticks() const {
    std::vector<double> list;
    const bool is_short = high_ - low_ <= 2;
    for (int decade = static_cast<int>(std::floor(low_)); decade <= high_; ++decade) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10, decade);
        const double log = std::log10(value);
        const bool inside = log >= low_ - 1e-9 && log <= high_ + 1e-9;
        if (inside && (digit == 1 || is_short)) list.push_back(value);
      }
    }
    return list;
  }

 private:
  double low_, high_;
  double from_, to_;
};

std::string number(double value) {
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string line(const char* css, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", css, x1, y1,
      x2, y2);
}

std::string label(const char* css, double x, double y, const char* anchor, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     css, x, y, anchor, html_plain(text));
}

double low_of(const Metric& metric) {
  return metric.low && *metric.low > 0 ? *metric.low : *metric.value;
}
double high_of(const Metric& metric) {
  return metric.high.value_or(*metric.value);
}

// A number to draw: logarithms need more than nothing.
bool drawable(const Metric* metric) {
  return metric != nullptr && metric->value && *metric->value > 0;
}

// With what its energy covers, where that is not the same everywhere.
std::string energy_name(const DeviceComparison& comparison, const DeviceFigures& device) {
  if (comparison.energy_left_out.empty() || device.energy_of.empty()) return device.device;
  return str(device.device, " (", device.energy_of, ")");
}

struct Spot {
  const DeviceFigures* device;
  std::string name;
  Metric latency;
  Metric energy;
};

std::vector<Spot> spots_of(const DeviceComparison& comparison) {
  std::vector<Spot> spots;
  for (const DeviceFigures& device : comparison.devices) {
    if (!drawable(device.typical()) || !drawable(&device.energy)) continue;
    spots.push_back({&device, energy_name(comparison, device), *device.typical(), device.energy});
  }
  std::ranges::sort(spots, {}, [](const Spot& spot) { return *spot.latency.value; });
  return spots;
}

// From the fastest on, each that needs less energy than all before it.
std::vector<const Spot*> front_of(const std::vector<Spot>& spots) {
  std::vector<const Spot*> front;
  for (const Spot& spot : spots) {
    if (front.empty() || *spot.energy.value < *front.back()->energy.value) front.push_back(&spot);
  }
  return front;
}

struct Extent {
  double least = 0;
  double most = 0;
};

template <class List, class Of>
Extent extent_of(const List& list, const Of& metric_of) {
  Extent extent{low_of(metric_of(list[0])), high_of(metric_of(list[0]))};
  for (const auto& item : list) {
    extent.least = std::min(extent.least, low_of(metric_of(item)));
    extent.most = std::max(extent.most, high_of(metric_of(item)));
  }
  return extent;
}

constexpr double kLetter = 7;  // The width of one, about.
constexpr double kWidth = 760;
constexpr double kHeight = 430;
constexpr double kLeft = 70, kRight = 740, kTop = 16, kBottom = 380;

std::string open_svg(double width, double height, std::string_view title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n",
      width, height, html_plain(title), html_plain(title));
}

std::string scatter_axes(const LogAxis& x, const LogAxis& y) {
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += line("grid", x.at(tick), kTop, x.at(tick), kBottom);
    svg += label("tick", x.at(tick), kBottom + 18, "middle", number(tick));
  }
  for (const double tick : y.ticks()) {
    svg += line("grid", kLeft, y.at(tick), kRight, y.at(tick));
    svg += label("tick", kLeft - 8, y.at(tick) + 4, "end", number(tick));
  }
  svg += label("axis", (kLeft + kRight) / 2, kBottom + 40, "middle", "latency, ms");
  return svg + fmt::format(
                   "<text class=\"axis\" transform=\"translate(16 {:.0f}) rotate(-90)\" "
                   "text-anchor=\"middle\">energy of a run, mJ</text>\n",
                   (kTop + kBottom) / 2);
}

std::string front_line(const std::vector<const Spot*>& front, const LogAxis& x, const LogAxis& y) {
  if (front.size() < 2) return "";
  std::vector<std::string> points;
  for (const Spot* spot : front) {
    points.push_back(
        fmt::format("{:.1f},{:.1f}", x.at(*spot->latency.value), y.at(*spot->energy.value)));
  }
  return str("<polyline class=\"front\" points=\"", join(points, " "), "\"/>\n");
}

// Names stand beside their points; one that would cover a point or another name moves down.
std::string spot_names(const std::vector<Spot>& spots, const LogAxis& x, const LogAxis& y) {
  constexpr double kLine = 14;
  struct Box {
    double left, right, y;
  };
  std::vector<Box> taken;
  for (const Spot& spot : spots) {
    const double px = x.at(*spot.latency.value);
    taken.push_back({px - 7, px + 7, y.at(*spot.energy.value) + 4});
  }
  std::string svg;
  for (const Spot& spot : spots) {
    const std::string& name = spot.name;
    const double width = kLetter * static_cast<double>(name.size());
    const double px = x.at(*spot.latency.value);
    const bool before = px + 12 + width > kRight;
    Box box{before ? px - 10 - width : px + 10, before ? px - 10 : px + 10 + width,
            y.at(*spot.energy.value) - 8};
    const auto covers = [&](const Box& other) {
      return other.left < box.right && box.left < other.right && std::abs(other.y - box.y) < kLine;
    };
    while (std::ranges::any_of(taken, covers)) box.y += kLine;
    taken.push_back(box);
    svg += label("name", before ? box.right : box.left, box.y, before ? "end" : "start", name);
  }
  return svg;
}

struct Bar {
  std::string name;
  Metric metric;
};

// For names on the left of bars.
double names_width(const std::vector<Bar>& list) {
  size_t longest = 0;
  for (const Bar& bar : list) longest = std::max(longest, bar.name.size());
  return std::max(150.0, kLetter * static_cast<double>(longest) + 20);
}

std::string bars(const std::vector<Bar>& list, const std::string& title) {
  if (list.empty()) return "";
  constexpr double kRow = 30, kBarWidth = 280, kValueWidth = 170;
  const double names = names_width(list);
  const Extent extent = extent_of(list, [](const Bar& bar) { return bar.metric; });
  const LogAxis x(extent.least, extent.most, names, names + kBarWidth);
  const double bottom = kRow * static_cast<double>(list.size()) + 8;
  std::string svg = open_svg(names + kBarWidth + kValueWidth, bottom + 26, title);
  for (const double tick : x.ticks()) {
    svg += line("grid", x.at(tick), 4, x.at(tick), bottom);
    svg += label("tick", x.at(tick), bottom + 16, "middle", number(tick));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Metric& metric = list[i].metric;
    const double top = kRow * static_cast<double>(i) + 8, middle = top + 9;
    svg += label("name", names - 10, middle + 4, "end", list[i].name);
    svg += fmt::format(
        "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\" "
        "rx=\"3\"/>\n",
        mode_name(metric.mode), names, top, x.at(*metric.value) - names);
    svg += line("whisker", x.at(low_of(metric)), middle, x.at(high_of(metric)), middle);
    const double end = std::max(x.at(*metric.value), x.at(high_of(metric)));
    svg += label("tick", end + 8, middle + 4, "start",
                 str(number(*metric.value), " ", metric.unit, ", ", mode_name(metric.mode)));
  }
  return svg + "</svg>\n";
}

}  // namespace

std::string latency_energy_chart(const DeviceComparison& comparison) {
  const std::vector<Spot> spots = spots_of(comparison);
  if (spots.size() < 2) return "";
  const Extent wide = extent_of(spots, [](const Spot& spot) { return spot.latency; });
  const Extent tall = extent_of(spots, [](const Spot& spot) { return spot.energy; });
  const LogAxis x(wide.least, wide.most, kLeft, kRight);
  const LogAxis y(tall.least, tall.most, kBottom, kTop);
  std::string svg = open_svg(kWidth, kHeight, "Latency against energy");
  svg += scatter_axes(x, y);
  // Energies that cover different things have no front.
  if (comparison.energy_left_out.empty()) svg += front_line(front_of(spots), x, y);
  for (const Spot& spot : spots) {
    const double px = x.at(*spot.latency.value), py = y.at(*spot.energy.value);
    svg += line("whisker", x.at(low_of(spot.latency)), py, x.at(high_of(spot.latency)), py);
    svg += line("whisker", px, y.at(low_of(spot.energy)), px, y.at(high_of(spot.energy)));
    svg += fmt::format("<circle class=\"spot {}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>\n",
                       mode_name(spot.latency.mode), spot.device->pareto ? " best" : "", px, py);
  }
  return svg + spot_names(spots, x, y) + "</svg>\n";
}

std::string latency_bars(const DeviceComparison& comparison) {
  std::vector<Bar> list;
  for (const DeviceFigures& device : comparison.devices) {
    if (drawable(device.typical())) list.push_back({device.device, *device.typical()});
  }
  return bars(list, "Latency, ms, logarithmic");
}

std::string energy_bars(const DeviceComparison& comparison) {
  std::vector<Bar> list;
  for (const DeviceFigures& device : comparison.devices) {
    if (drawable(&device.energy)) {
      list.push_back({energy_name(comparison, device), device.energy});
    }
  }
  return bars(list, "Energy of a run, mJ, logarithmic");
}

std::string html_plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

}  // namespace hone
