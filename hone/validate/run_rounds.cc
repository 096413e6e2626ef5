#include "hone/validate/run_rounds.h"

#include <algorithm>
#include <chrono>

#include "hone/base/progress.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUps = 2;
// Of programs that take seconds, fewer do after four times the time that was asked for.
constexpr size_t kEnoughRounds = 12;

}  // namespace

Result<Rounds> run_rounds(const Contestant& base, const Contestant* candidate, double seconds) {
  std::vector<TurnTaker> runners;
  runners.emplace_back(base);
  runners.emplace_back(base);
  if (candidate != nullptr) runners.emplace_back(*candidate);
  for (int i = 0; i < kWarmUps; ++i) {
    for (TurnTaker& runner : runners) HONE_RETURN_IF_ERROR(runner.turn());
  }
  for (TurnTaker& runner : runners) runner.forget();
  std::vector<size_t> order(runners.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  Progress progress("timing", Progress::Time{seconds});
  const Clock::time_point begin = Clock::now();
  const auto enough = [&] {
    const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
    const size_t rounds = runners[0].ms().size();
    if (rounds < kFewestRounds) return false;
    return passed >= (rounds < kEnoughRounds ? 4 * seconds : seconds);
  };
  while (!enough()) {
    for (const size_t i : order) HONE_RETURN_IF_ERROR(runners[i].turn());
    std::ranges::next_permutation(order);
    progress.step();
  }
  Rounds rounds{.base = runners[0].ms(), .again = runners[1].ms(), .candidate = {}};
  if (candidate != nullptr) rounds.candidate = runners[2].ms();
  return rounds;
}

}  // namespace hone
