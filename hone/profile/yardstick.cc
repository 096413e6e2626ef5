#include "hone/profile/yardstick.h"

#include <chrono>

namespace hone {
namespace {

// Independent chains: what is measured is how many operations the core takes at a time, as kernels
// do, not how long one takes.
double arithmetic() {
  constexpr int kChains = 16, kRounds = 1000;
  double sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = i;
  for (int round = 0; round < kRounds; ++round) {
    for (double& sum : sums) sum = sum * 0.999 + 0.5;
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

double time_yardstick() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  // The result must be needed, or the compiler computes nothing.
  [[maybe_unused]] static volatile double result;
  result = arithmetic();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace hone
