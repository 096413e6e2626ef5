// The least value of a function of a few variables that has kinks, so gradients lead nowhere: the
// simplex method of Nelder and Mead (1965). Written here rather than taken from a library: it is
// a page, and the libraries that have it (GSL, NLopt) would be a dependency for them alone.
#pragma once

#include <functional>
#include <vector>

namespace hone {

struct Minimum {
  std::vector<double> at = {};
  double value = 0;
};

// Starts from a simplex with corners `step` away from `start`, and starts over from what it found,
// as the method can get stuck, until that gains nothing. A start of no variables is its own
// minimum.
Minimum minimize(const std::function<double(const std::vector<double>&)>& function,
                 const std::vector<double>& start, double step);

}  // namespace hone
