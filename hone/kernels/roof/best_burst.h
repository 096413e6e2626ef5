#pragma once

#include <cstdint>
#include <functional>

namespace hone {

// How often something can be done in a second, at best.
struct BurstRate {
  double per_second = 0;
  int64_t bursts = 0;  // Measured, of which this is the fastest.
};

// Of a clock that never goes back.
double steady_seconds();

// Calls run(n), which does a thing n times, in bursts of a millisecond for at most about `seconds`,
// and at least five of them; for a third of that where what they reach does not change any more and
// is no less than `expected` in a second. Bursts are far shorter than a scheduler's time slice, so
// that some are left alone even where other work shares the cores; of 30 ms nearly none would be.
BurstRate best_burst(const std::function<void(size_t n)>& run, double seconds, double expected = 0,
                     const std::function<double()>& clock = steady_seconds);

}  // namespace hone
