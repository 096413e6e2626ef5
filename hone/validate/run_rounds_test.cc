#include "hone/validate/run_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace hone {
namespace {

constexpr double kColdMs = 60;

// Takes its time whenever another session ran before it, as one whose weights the other has pushed
// out of the caches.
class CoolingProgram final : public Program {
 public:
  class CoolingSession final : public Session {
   public:
    explicit CoolingSession(const Session*& last) : last_(last) {}
    Status run(const std::vector<Item>&, std::vector<Item>&) override {
      if (last_ != this)
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kColdMs));
      last_ = this;
      return Done{};
    }
    Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                        StepObserver&) override {
      return run(inputs, outputs);
    }

   private:
    const Session*& last_;
  };

  std::unique_ptr<Session> open() const override { return std::make_unique<CoolingSession>(last_); }
  const Graph& graph() const override { return graph_; }
  std::vector<StepInfo> steps() const override { return {}; }

 private:
  Graph graph_;
  mutable const Session* last_ = nullptr;
};

TEST(RunRounds, CountsNoRunThatFollowsAnotherProgram) {
  const CoolingProgram program;
  const std::vector<Item> inputs;
  const Contestant contestant{program, inputs};
  const auto rounds = run_rounds(contestant, &contestant, 0.01);
  ASSERT_TRUE(rounds.ok());
  for (const auto* ms : {&rounds->base, &rounds->again, &rounds->candidate}) {
    ASSERT_GE(ms->size(), 6u);
    EXPECT_LT(std::ranges::min(*ms), kColdMs);
  }
}

}  // namespace
}  // namespace hone
