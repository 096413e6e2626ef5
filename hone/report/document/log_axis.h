#pragma once

#include <vector>

namespace hone {

// A logarithmic axis over whole halves of a decade: where values lie between `from` and `to`.
class LogAxis {
 public:
  LogAxis(double least, double most, double from, double to);

  double at(double value) const;
  // 1, 10, 100 ...; with 2 and 5 between them where the axis is short.
  std::vector<double> ticks() const;

 private:
  double low_, high_;
  double from_, to_;
};

}  // namespace hone
