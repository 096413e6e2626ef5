#include "hone/report/sections/listening_text.h"

#include <fmt/format.h>

#include <cmath>

#include "hone/base/str.h"

namespace hone {

std::string short_figure(double value) {
  return std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string spread_text(const Spread& spread) {
  return str(short_figure(spread.value), " (", short_figure(spread.low), " to ",
             short_figure(spread.high), ")");
}

std::string listening_headline(const ListeningPower& power) {
  return str("listening on ", power.device, " adds ", spread_text(power.added_ratio),
             " times less to a machine that sleeps than listening on its CPU; all of it draws ",
             spread_text(power.ratio), " times less (predicted)");
}

}  // namespace hone
