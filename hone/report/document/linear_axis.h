#pragma once

#include <vector>

namespace hone {

// An axis over whole steps of 1, 2 or 5 times a power of ten: where values lie between `from` and
// `to`.
class LinearAxis {
 public:
  LinearAxis(double least, double most, double from, double to);

  double at(double value) const;
  std::vector<double> ticks() const;

 private:
  double step_;
  double low_, high_;
  double from_, to_;
};

}  // namespace hone
