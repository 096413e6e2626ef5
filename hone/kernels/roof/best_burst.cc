#include "hone/kernels/roof/best_burst.h"

#include <algorithm>
#include <chrono>

namespace hone {
namespace {

constexpr double kLeastSeconds = 0.0005;  // Of a burst that counts.
constexpr int64_t kFewestBursts = 5;
constexpr size_t kMostTimes = size_t{1} << 30;  // In a burst, of a thing that takes no time.

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A clock that did not move counts as a nanosecond.
double time_of(const std::function<void(size_t)>& run, size_t n) {
  const double start = now();
  run(n);
  return std::max(now() - start, 1e-9);
}

}  // namespace

BurstRate best_burst(const std::function<void(size_t)>& run, double seconds) {
  const double end = now() + seconds;
  BurstRate rate;
  size_t n = 1;
  while (rate.bursts < kFewestBursts || now() < end) {
    const double took = time_of(run, n);
    // Asked anew every time: one burst can be long because something came in between.
    if (took < kLeastSeconds && n < kMostTimes) {
      n *= 2;
      continue;
    }
    rate.per_second = std::max(rate.per_second, static_cast<double>(n) / took);
    ++rate.bursts;
  }
  return rate;
}

}  // namespace hone
