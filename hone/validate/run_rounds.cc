#include "hone/validate/run_rounds.h"

#include <algorithm>
#include <chrono>

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUps = 3;
// Of programs that take seconds, fewer do after four times the time that was asked for.
constexpr size_t kEnoughRounds = 12;
constexpr size_t kFewestRounds = 6;

class Runner {
 public:
  Runner(const Contestant& contestant, std::vector<double>& ms)
      : inputs_(contestant.inputs), session_(contestant.program.open()), ms_(ms) {}

  Status run() {
    const Clock::time_point start = Clock::now();
    HONE_RETURN_IF_ERROR(session_->run(inputs_, outputs_));
    ms_.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    return Done{};
  }
  void forget() { ms_.clear(); }

 private:
  const std::vector<Item>& inputs_;
  std::unique_ptr<Session> session_;
  std::vector<Item> outputs_;
  std::vector<double>& ms_;
};

}  // namespace

Result<Rounds> run_rounds(const Contestant& base, const Contestant* candidate, double seconds) {
  Rounds rounds;
  std::vector<Runner> runners;
  runners.emplace_back(base, rounds.base);
  runners.emplace_back(base, rounds.again);
  if (candidate != nullptr) runners.emplace_back(*candidate, rounds.candidate);
  for (int i = 0; i < kWarmUps; ++i) {
    for (Runner& runner : runners) HONE_RETURN_IF_ERROR(runner.run());
  }
  for (Runner& runner : runners) runner.forget();
  std::vector<size_t> order(runners.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const Clock::time_point begin = Clock::now();
  const auto enough = [&] {
    const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (rounds.base.size() < kFewestRounds) return false;
    return passed >= (rounds.base.size() < kEnoughRounds ? 4 * seconds : seconds);
  };
  while (!enough()) {
    for (const size_t i : order) HONE_RETURN_IF_ERROR(runners[i].run());
    std::ranges::next_permutation(order);
  }
  return rounds;
}

}  // namespace hone
