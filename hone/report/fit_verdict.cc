#include "hone/report/fit_verdict.h"

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// 0.1 for ten percent too long, and for as much too short.
double factor_off(double ratio) {
  return ratio > 0 ? std::max(ratio, 1 / ratio) - 1 : 0;
}

// That of the point's precision, or of all; the widest of those where the file has none of them.
double interval_of(const FittedDevice& fit, const FittedPoint& point) {
  double widest = fit.device.fit->error;
  for (const FittedInterval& interval : fit.intervals) {
    if (!interval.of.empty() && interval.of == point.measured.precision) return interval.error;
    widest = std::max(widest, interval.error);
  }
  return widest;
}

double most_off(const FittedDevice& fit, double FittedPoint::*ms) {
  double most = 0;
  for (const FittedPoint& point : fit.points) {
    most = std::max(most, factor_off(point.*ms / point.measured.latency_ms));
  }
  return most;
}

}  // namespace

double distance_of(const FittedPoint& point) {
  return factor_off(point.left_out ? 1 + *point.left_out
                                   : point.after_ms / point.measured.latency_ms);
}

bool is_held(const FittedDevice& fit, const FittedPoint& point) {
  constexpr double kRounding = 1e-9;
  return distance_of(point) <= interval_of(fit, point) + kRounding;
}

std::string fit_verdict(const FittedDevice& fit) {
  const size_t all = fit.points.size();
  const auto held = std::ranges::count_if(
      fit.points, [&](const FittedPoint& point) { return is_held(fit, point); });
  return str(held, " of ", all, all == 1 ? " measured point lies" : " measured points lie",
             " where the fitted ", fit.device.name, " expects them; times were off by a factor of ",
             fixed(1 + most_off(fit, &FittedPoint::before_ms), 2), " at most before the fit, by ",
             fixed(1 + most_off(fit, &FittedPoint::after_ms), 2),
             " now; other networks are expected within a factor of ",
             fixed(1 + fit.device.fit->error, 2), " either way (predicted)");
}

}  // namespace hone
