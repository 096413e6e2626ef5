// What steps that follow each other on a GPU took, from when the turn of each came: in nanoseconds,
// written by its first kernel, or by a mark in front of it where that is a library's. A mark's time
// is no time of the step behind it. Three marks behind the last step tell its end and what a mark
// takes: the second begins while the first ends, as marks do behind kernels of Hone's own; the third
// waits until the second has ended, as all do behind kernels of libraries.
#pragma once

#include <algorithm>

#include "hone/targets/cuda/step.h"

namespace hone::cuda {

inline size_t stamps_of(size_t steps) {
  return steps + 3;
}

// Whether what writes that stamp may begin before what is in front of it has ended.
inline bool begins_early(size_t stamp, size_t steps) {
  return stamp + 1 < stamps_of(steps);
}

struct StampedTimes {
  std::vector<double> steps = {};  // Seconds.
  double all = 0;                  // With marks.
};

inline StampedTimes times_of(const uint64_t* stamps, std::span<const Step* const> steps) {
  const auto between = [&](size_t i) {
    return static_cast<double>(stamps[i + 1] - stamps[i]) * 1e-9;
  };
  const auto by_library = [&](size_t i) {
    return steps[i]->variant().launches[0].library.has_value();
  };
  const double of_mark = between(steps.size());
  const double of_waiting_mark = between(steps.size() + 1);
  StampedTimes times{.all = of_mark + of_waiting_mark};
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool waits = i > 0 && by_library(i - 1);
    const double mark = waits ? of_waiting_mark : of_mark;
    times.all += between(i);
    times.steps.push_back(std::max(0.0, between(i) - (by_library(i) ? mark : 0)));
  }
  return times;
}

}  // namespace hone::cuda
