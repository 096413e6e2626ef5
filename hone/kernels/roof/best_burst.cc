#include "hone/kernels/roof/best_burst.h"

#include <algorithm>
#include <chrono>

namespace hone {
namespace {

constexpr double kLeastSeconds = 0.0005;  // Of a burst that counts.
constexpr int64_t kFewestBursts = 5;
constexpr size_t kMostTimes = size_t{1} << 30;  // In a burst, of a thing that takes no time.

// The fastest stands when so many bursts, and so much of the time, brought none that is better by
// more than chance. Where other work shares the cores bursts are few in a time, and it takes longer.
constexpr int64_t kQuietBursts = 60;
constexpr double kQuietPart = 1.0 / 3;
constexpr double kBetter = 1.005;

// A clock that did not move counts as a nanosecond.
double time_of(const std::function<void(size_t)>& run, size_t n,
               const std::function<double()>& now) {
  const double start = now();
  run(n);
  return std::max(now() - start, 1e-9);
}

// Since when no burst was better.
class Record {
 public:
  Record(double seconds, double now) : quiet_seconds_(seconds * kQuietPart), since_(now) {}

  void note(const BurstRate& rate, double now) {
    if (rate.per_second < best_ * kBetter) return;
    best_ = rate.per_second;
    bursts_ = rate.bursts;
    since_ = now;
  }
  bool stands(int64_t bursts, double now) const {
    return bursts - bursts_ >= kQuietBursts && now - since_ >= quiet_seconds_;
  }

 private:
  double quiet_seconds_;
  double best_ = 0;
  int64_t bursts_ = 0;
  double since_;
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double Bursts::next() {
  double took = time_of(run_, n_, clock_);
  // Asked anew every time: one burst can be long because something came in between.
  while (took < kLeastSeconds && n_ < kMostTimes) {
    n_ *= 2;
    took = time_of(run_, n_, clock_);
  }
  return static_cast<double>(n_) / took;
}

BurstRate best_burst(const std::function<void(size_t)>& run, double seconds, double expected,
                     const std::function<double()>& clock) {
  const double end = clock() + seconds;
  Bursts bursts(run, clock);
  BurstRate rate;
  Record record(seconds, clock());
  while (rate.bursts < kFewestBursts ||
         (clock() < end && (rate.per_second < expected || !record.stands(rate.bursts, clock())))) {
    rate.per_second = std::max(rate.per_second, bursts.next());
    ++rate.bursts;
    record.note(rate, clock());
  }
  return rate;
}

}  // namespace hone
