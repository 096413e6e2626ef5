#include "hone/profile/turn_taker.h"

#include <chrono>

#include "hone/profile/statistics.h"

namespace hone {

Status TurnTaker::turn() {
  constexpr double kShortMs = 3;
  constexpr size_t kMostRuns = 1000;
  HONE_RETURN_IF_ERROR(run());
  std::vector<double> counted;
  for (double spent = 0; counted.empty() || (spent < kShortMs && counted.size() < kMostRuns);) {
    HONE_TRY(counted.emplace_back(), run());
    spent += counted.back();
  }
  ms_.push_back(median(counted) / batch_);
  return Done{};
}

Result<double> TurnTaker::run() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  HONE_RETURN_IF_ERROR(session_->run(inputs_, outputs_));
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace hone
