// The latency gate on real programs: it never fails a program against itself, finds one that got
// slower, and says when it cannot tell.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "hone/validate/run_rounds.h"
#include "hone/workbench/validate_model.h"
#include "hone/workbench/workbench.h"
#include "tests/slowed_program.h"

namespace hone {
namespace {

constexpr SlowdownLimits kThreePercent = {.part = 0.03, .ms = 0};

// Only a quiet machine can be held to a verdict; on others it may be inconclusive, never wrong.
bool timed() {
  return std::getenv("HONE_TIMED") != nullptr;
}

class ValidateSpeed : public testing::Test {
 protected:
  ValidateSpeed() : model_(*open_model("zoo:ds_cnn_kws")) {
    inputs_ = *make_inputs(model_.graph, {}, 0);
    program_ =
        *(*find_target("cpu"))->open()->compile(std::move(*model_.graph.clone()), {.threads = 1});
  }

  Slowdown judge(const Program& base, const Program& candidate, double seconds) {
    const Contestant other{candidate, inputs_};
    const auto rounds = run_rounds({base, inputs_}, &other, seconds);
    EXPECT_TRUE(rounds.ok()) << rounds.error().message;
    return judge_slowdown(*rounds, kThreePercent);
  }

  Model model_;
  std::vector<Item> inputs_;
  std::unique_ptr<Program> program_;
};

// A hundred with HONE_TIMED.
TEST_F(ValidateSpeed, ComparisonsOfAProgramWithItselfNeverFail) {
  std::map<std::string_view, int> verdicts;
  for (int i = 0; i < (timed() ? 100 : 20); ++i) {
    const Slowdown slowdown = judge(*program_, *program_, 0.08);
    ++verdicts[name_of(slowdown.verdict)];
    EXPECT_NE(slowdown.verdict, Verdict::Fail) << slowdown.why;
  }
  for (const auto& [verdict, count] : verdicts) std::cout << verdict << " " << count << "\n";
}

// 5 % of the run, all in one step.
TEST_F(ValidateSpeed, FivePercentAreCaughtAndNeverPass) {
  // Watched, as the slowed one is.
  const SlowedProgram base(*program_, 3, 0);
  const auto rounds = run_rounds({base, inputs_}, nullptr, 0.2);
  ASSERT_TRUE(rounds.ok());
  const SlowedProgram slowed(*program_, 3, 0.05e-3 * latency_of(rounds->base, 0).ms);
  int caught = 0, passed = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const Slowdown slowdown = judge(base, slowed, 0.5);
    std::cout << name_of(slowdown.verdict) << ": " << slowdown.why << "\n";
    caught += slowdown.verdict == Verdict::Fail ? 1 : 0;
    passed += slowdown.verdict == Verdict::Pass ? 1 : 0;
  }
  if (!timed()) return;
  EXPECT_EQ(passed, 0);
  EXPECT_GT(caught, 0);
}

// Times that jump by up to a half, in both programs alike.
TEST_F(ValidateSpeed, AnUnsteadyMachineIsInconclusive) {
  class Unsteady final : public Session {
   public:
    explicit Unsteady(const Program& program) : program_(program), session_(program.open()) {}
    Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
      // A disturbance lasts for a while, as those of other programs do.
      if (runs_++ % 8 == 0) seconds_ = std::uniform_real_distribution(0.0, 1e-3)(rng());
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_);
      HONE_RETURN_IF_ERROR(session_->run(inputs, outputs));
      while (std::chrono::steady_clock::now() < end + std::chrono::duration<double>(seconds_)) {
      }
      return Done{};
    }
    Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                        StepObserver&) override {
      return run(inputs, outputs);
    }

   private:
    static std::mt19937& rng() {
      static std::mt19937 shared(1);
      return shared;
    }
    const Program& program_;
    std::unique_ptr<Session> session_;
    int runs_ = 0;
    double seconds_ = 0;
  };
  class UnsteadyProgram final : public Program {
   public:
    explicit UnsteadyProgram(const Program& inner) : inner_(inner) {}
    std::unique_ptr<Session> open() const override { return std::make_unique<Unsteady>(inner_); }
    const Graph& graph() const override { return inner_.graph(); }
    std::vector<StepInfo> steps() const override { return inner_.steps(); }

   private:
    const Program& inner_;
  };
  const UnsteadyProgram shaky(*program_);
  const Contestant contestant{shaky, inputs_};
  const auto rounds = run_rounds(contestant, &contestant, 0.5);
  ASSERT_TRUE(rounds.ok());
  const Slowdown slowdown = judge_slowdown(*rounds, kThreePercent);
  EXPECT_EQ(slowdown.verdict, Verdict::Inconclusive) << slowdown.why;
}

TEST_F(ValidateSpeed, BudgetsBecomeRowsOfTheVerdict) {
  ValidateRequest request;
  request.compile.threads = 1;
  request.seconds = 0.1;
  request.baseline_model = &model_;
  request.budgets = {.drop = {},
                     .latency = 10,
                     .slowdown = SlowdownLimits{.part = 1e6, .ms = 0},
                     .peak_memory = 1e9,
                     .size = 1e9,
                     .energy = {}};
  auto result = validate_model(model_, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  std::map<std::string, Verdict> verdicts;
  for (const GateRow& row : result->validation.gate) verdicts[row.what] = row.verdict;
  EXPECT_EQ(verdicts, (std::map<std::string, Verdict>{{"latency", Verdict::Pass},
                                                      {"slowdown", Verdict::Pass},
                                                      {"peak memory", Verdict::Pass},
                                                      // A built-in network has no file.
                                                      {"size", Verdict::Inconclusive}}));
  EXPECT_GE(result->validation.samples_ms.size(), 6u);

  // Stored times of this machine can be compared with, those of another cannot.
  request.baseline_model = nullptr;
  request.baseline = Baseline{.path = "base.json",
                              .target = "cpu",
                              .device = result->validation.device,
                              .samples_ms = result->validation.samples_ms,
                              .metric = {}};
  request.budgets = {};
  request.budgets.slowdown = SlowdownLimits{.part = 1e6, .ms = 0};
  result = validate_model(model_, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->validation.gate[0].verdict, Verdict::Pass);
  request.baseline->device = "another, 8 threads";
  result = validate_model(model_, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->validation.gate[0].verdict, Verdict::Inconclusive);
  EXPECT_NE(result->validation.gate[0].why.find("was measured on another, 8 threads"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
