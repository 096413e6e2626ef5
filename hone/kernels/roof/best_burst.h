#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace hone {

// How often something can be done in a second, at best.
struct BurstRate {
  double per_second = 0;
  int64_t bursts = 0;  // Measured, of which this is the fastest.
};

// Of a clock that never goes back.
double steady_seconds();

// Bursts of one thing, each long enough to count.
class Bursts {
 public:
  explicit Bursts(std::function<void(size_t n)> run, std::function<double()> clock = steady_seconds)
      : run_(std::move(run)), clock_(std::move(clock)) {}

  // Does it n times, of a millisecond or so in all: how often in a second that was.
  double next();

 private:
  std::function<void(size_t n)> run_;
  std::function<double()> clock_;
  size_t n_ = 1;
};

// Calls run(n), which does a thing n times, in bursts of a millisecond for at most about `seconds`,
// and at least five of them; for a third of that where what they reach does not change any more and
// is no less than `expected` in a second. Bursts are far shorter than a scheduler's time slice, so
// that some are left alone even where other work shares the cores; of 30 ms nearly none would be.
BurstRate best_burst(const std::function<void(size_t n)>& run, double seconds, double expected = 0,
                     const std::function<double()>& clock = steady_seconds);

}  // namespace hone
