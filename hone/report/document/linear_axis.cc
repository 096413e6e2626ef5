#include "hone/report/document/linear_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double kSteps = 6;  // About as many fit beside numbers.

double step_for(double span) {
  const double decade = std::pow(10, std::floor(std::log10(span / kSteps)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * decade * kSteps >= span) return digit * decade;
  }
  return 10 * decade;
}

}  // namespace

// Points keep off the ends, but nothing that is not negative needs room below 0; where all are the
// same there is still a span.
LinearAxis::LinearAxis(double least, double most, double from, double to)
    : step_(step_for(std::max(most - least, 1e-3 * std::max(1.0, std::abs(most))))),
      low_(std::max(least >= 0 ? 0 : -std::numeric_limits<double>::infinity(),
                    step_ * std::floor(least / step_ - 0.2))),
      high_(step_ * std::ceil(most / step_ + 0.2)),
      from_(from),
      to_(to) {}

double LinearAxis::at(double value) const {
  return from_ + (value - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<double> LinearAxis::ticks() const {
  std::vector<double> list;
  const auto count = static_cast<int>(std::lround((high_ - low_) / step_));
  for (int i = 0; i <= count; ++i) list.push_back(low_ + step_ * i);
  return list;
}

}  // namespace hone
