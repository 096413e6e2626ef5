#include "hone/report/document/log_axis.h"

#include <cmath>

namespace hone {

LogAxis::LogAxis(double least, double most, double from, double to)
    : low_(std::floor(2 * std::log10(least) - 0.2) / 2),
      high_(std::ceil(2 * std::log10(most) + 0.2) / 2),
      from_(from),
      to_(to) {}

double LogAxis::at(double value) const {
  return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<double> LogAxis::ticks() const {
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

}  // namespace hone
