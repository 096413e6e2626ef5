#pragma once

#include <vector>

#include "hone/kernels/roof/best_burst.h"

namespace hone {

// How often a thing can be done in a second, at best, found in visits of a few bursts each. Between
// them other things have theirs: what slows a machine for a tenth of a second, such as a neighbour on
// the same core, then meets some of the visits and not all of them.
class VisitedRate {
 public:
  // In about `seconds` of visits at most, see best_burst.h for `run`.
  VisitedRate(std::function<void(size_t n)> run, double seconds,
              const std::function<double()>& clock = steady_seconds)
      : bursts_(std::move(run), clock), clock_(clock), seconds_(seconds) {}

  // `prepare` is part of the time that visits take, not of what they reach.
  void visit(const std::function<void()>& prepare = [] {});
  // Three visits came within 2 % of the best and that is no less than `expected` in a second, or there
  // were visits for long enough.
  bool stands(double expected = 0) const;

  double per_second() const;
  int64_t bursts() const { return count_; }

 private:
  Bursts bursts_;
  std::function<double()> clock_;
  double seconds_;
  double spent_ = 0;
  int64_t count_ = 0;
  std::vector<double> visits_;  // What each reached.
};

}  // namespace hone
