// Whether a program got slower, by runs that alternate with those of the program it is compared
// with and with a second session of that program: the difference between those two is noise, and a
// verdict is given only where the noise leaves no doubt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

enum class Verdict { Pass, Fail, Inconclusive };
std::string_view name_of(Verdict verdict);  // "pass", "fail", "inconclusive"

// Milliseconds of runs that were made in turn: entry i of each in round i.
struct Rounds {
  std::vector<double> base;
  std::vector<double> again;      // The same program as base: the A/A control.
  std::vector<double> candidate;  // Empty where base is what is judged.
};

// With fewer there is no verdict.
inline constexpr size_t kFewestRounds = 6;

// A slowdown counts when it is larger than both.
struct SlowdownLimits {
  double part = 0.05;
  double ms = 0.005;
};

struct Slowdown {
  Verdict verdict = Verdict::Inconclusive;
  double part = 0;         // Of the base's time: 0.05 is 5 % slower.
  bool of_blocks = false;  // `part` is the median of the blocks' ratios, which the two medians of
                           // all runs below may contradict: a machine may change its speed.
  double low = 0;          // What it may be, noise included.
  double high = 0;
  double noise = 0;  // How far the base is from itself.
  double base_ms = 0;
  double candidate_ms = 0;
  std::string why;
};

// Rounds are cut into twelve blocks, one after the other. The interval of the slowdown is that of
// the blocks' ratios of medians, at 95 %, made wider on both sides by the farthest end of the same
// interval of the A/A control. It fails when all of it is above the limit, passes when none of it
// is, and is inconclusive otherwise; fewer than six rounds are always that.
Slowdown judge_slowdown(const Rounds& rounds, const SlowdownLimits& limits);

// The same against times of the base that were measured at another time, in another process, which
// nothing here can see the noise of: the interval goes from the slowest stored block to the fastest
// one now and back, and the fastest tenth of the runs must have become slower, too. `rounds` has
// base and again, which are the program that is judged.
Slowdown judge_against_stored(const std::vector<double>& stored_ms, const Rounds& rounds,
                              const SlowdownLimits& limits);

// Of times that a model of the machine gives: both are off by the same, and there is no noise.
Slowdown judge_modelled(double base_ms, double candidate_ms, const SlowdownLimits& limits);

// How far the base is from itself: the farthest end of the interval of the blocks' A/A ratios.
double noise_of(const Rounds& rounds);

// What a run takes: the median with what it may be, noise included.
struct Latency {
  double ms = 0;
  double low = 0;
  double high = 0;
  double noise = 0;
  int64_t n = 0;
};
Latency latency_of(const std::vector<double>& samples_ms, double noise);

// Against a limit: all of the interval under it passes, all of it above fails.
Verdict judge_interval(double low, double high, double limit);

}  // namespace hone
