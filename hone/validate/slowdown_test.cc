#include "hone/validate/slowdown.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

namespace hone {
namespace {

// Times as machines give them: jitter to one side, noise that lasts, rare interruptions, a clock
// that drifts.
struct Machine {
  double jitter = 0.005;
  double slow_noise = 0.003;  // Of a disturbance that lasts some fifty runs.
  double interrupted = 0.01;  // Part of the runs that take half as long again.
  double drift = 0;           // Over the whole measurement.
};

class Simulated {
 public:
  Simulated(Machine machine, uint64_t seed) : machine_(machine), rng_(seed) {}

  // A base of 1 ms and a candidate that is slower by a part.
  Rounds rounds(double slower, size_t n = 240) {
    Rounds rounds;
    for (size_t i = 0; i < n; ++i) {
      const double drift = 1 + machine_.drift * static_cast<double>(i) / static_cast<double>(n);
      rounds.base.push_back(drift * next());
      rounds.again.push_back(drift * next());
      rounds.candidate.push_back((1 + slower) * drift * next());
    }
    return rounds;
  }

 private:
  double next() {
    lasting_ = 0.98 * lasting_ + 0.2 * normal_(rng_);
    double ms = 1 + machine_.jitter * std::abs(normal_(rng_)) + machine_.slow_noise * lasting_;
    if (uniform_(rng_) < machine_.interrupted) ms *= 1.5;
    return ms;
  }

  Machine machine_;
  std::mt19937_64 rng_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double lasting_ = 0;
};

using Counts = std::map<Verdict, int>;

Counts verdicts(const Machine& machine, double slower, const SlowdownLimits& limits) {
  Counts counts;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    ++counts[judge_slowdown(Simulated(machine, seed).rounds(slower), limits).verdict];
  }
  return counts;
}

constexpr SlowdownLimits kThreePercent = {.part = 0.03, .ms = 0};

TEST(JudgeSlowdown, NeverFailsAProgramAgainstItself) {
  EXPECT_EQ(verdicts({}, 0, kThreePercent)[Verdict::Pass], 100);
  for (const double noise : {0.01, 0.03, 0.1, 0.3}) {
    const Machine machine{.jitter = noise, .slow_noise = noise, .interrupted = 0.1, .drift = 0.3};
    EXPECT_EQ(verdicts(machine, 0, kThreePercent)[Verdict::Fail], 0) << noise;
    EXPECT_EQ(verdicts(machine, 0, {.part = 0.001, .ms = 0})[Verdict::Fail], 0) << noise;
  }
}

TEST(JudgeSlowdown, CatchesFivePercent) {
  EXPECT_EQ(verdicts({}, 0.05, kThreePercent)[Verdict::Fail], 100);
  EXPECT_EQ(verdicts({.drift = 0.2}, 0.05, kThreePercent)[Verdict::Fail], 100);
  // At the limit itself nothing can be said, but it is never let through.
  EXPECT_EQ(verdicts({}, 0.05, {.part = 0.05, .ms = 0})[Verdict::Pass], 0);
}

TEST(JudgeSlowdown, SaysThatAMachineIsTooUnsteady) {
  const Machine shaky{.jitter = 0.2, .slow_noise = 0.2, .interrupted = 0.2};
  EXPECT_GE(verdicts(shaky, 0, kThreePercent)[Verdict::Inconclusive], 95);
  EXPECT_GE(verdicts(shaky, 0.05, kThreePercent)[Verdict::Inconclusive], 95);
  const Slowdown slowdown = judge_slowdown(Simulated(shaky, 1).rounds(0), kThreePercent);
  EXPECT_NE(slowdown.why.find("quieter machine"), std::string::npos) << slowdown.why;
}

TEST(JudgeSlowdown, NeedsTheAbsoluteLimitToBePassedToo) {
  const Rounds rounds = Simulated({}, 1).rounds(0.10);  // 0.1 ms of 1 ms.
  EXPECT_EQ(judge_slowdown(rounds, {.part = 0.03, .ms = 0.05}).verdict, Verdict::Fail);
  EXPECT_EQ(judge_slowdown(rounds, {.part = 0.03, .ms = 0.2}).verdict, Verdict::Pass);
}

TEST(JudgeSlowdown, OfAFewRunsIsInconclusive) {
  const Slowdown slowdown = judge_slowdown(Simulated({}, 1).rounds(0.5, 5), kThreePercent);
  EXPECT_EQ(slowdown.verdict, Verdict::Inconclusive);
  EXPECT_EQ(slowdown.why, "only 5 rounds of runs");
}

TEST(JudgeAgainstStored, PassesTheSameFailsTheSlowerAndDoubtsTheShaky) {
  int fails = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> stored = Simulated({}, seed + 1000).rounds(0).base;
    const Rounds now = Simulated({}, seed).rounds(0);
    EXPECT_EQ(judge_against_stored(stored, now, kThreePercent).verdict, Verdict::Pass);
    const std::vector<double> faster = Simulated({}, seed + 2000).rounds(-0.06).candidate;
    EXPECT_EQ(judge_against_stored(faster, now, kThreePercent).verdict, Verdict::Fail);
    const Machine shaky{.jitter = 0.1, .slow_noise = 0.1};
    const Rounds unsteady = Simulated(shaky, seed).rounds(0);
    fails += judge_against_stored(stored, unsteady, kThreePercent).verdict == Verdict::Fail;
  }
  EXPECT_EQ(fails, 0);
}

TEST(JudgeModelled, HasNoDoubts) {
  EXPECT_EQ(judge_modelled(1, 1.029, kThreePercent).verdict, Verdict::Pass);
  EXPECT_EQ(judge_modelled(1, 1.031, kThreePercent).verdict, Verdict::Fail);
  EXPECT_EQ(judge_modelled(1, 0.5, kThreePercent).verdict, Verdict::Pass);
  EXPECT_EQ(judge_modelled(1, 1.1, {.part = 0.05, .ms = 0.2}).verdict, Verdict::Pass);
  EXPECT_DOUBLE_EQ(judge_modelled(2, 3, kThreePercent).part, 0.5);
}

TEST(LatencyOf, IsTheMedianWithWhatItMayBe) {
  const Rounds rounds = Simulated({}, 3).rounds(0);
  const Latency latency = latency_of(rounds.base, noise_of(rounds));
  EXPECT_NEAR(latency.ms, 1.003, 0.003);
  EXPECT_LT(latency.low, latency.ms);
  EXPECT_GT(latency.high, latency.ms);
  EXPECT_LT(latency.high, 1.03);
  EXPECT_EQ(latency.n, 240);
  EXPECT_EQ(judge_interval(latency.low, latency.high, 1.1), Verdict::Pass);
  EXPECT_EQ(judge_interval(latency.low, latency.high, latency.ms), Verdict::Inconclusive);
  EXPECT_EQ(judge_interval(latency.low, latency.high, 0.9), Verdict::Fail);
}

}  // namespace
}  // namespace hone
