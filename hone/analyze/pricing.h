// What rules share: gains and their intervals, sums over steps, text.
#pragma once

#include <string>
#include <vector>

#include "hone/analyze/rule_def.h"
#include "hone/profile/roofs.h"

namespace hone {

// A gain in ms of one run. The truth is expected within `factor` of it: 1.3 means 0.77 to 1.3
// times.
Metric predicted_gain(double us, double factor);

double sum_us(const Evidence& in, const std::vector<size_t>& steps);
// "12.3 %" of the run.
std::string share_of_run(const Evidence& in, double us);
// "3 steps", "1 step".
std::string count_of(size_t count, const char* noun);

// Evidence in numbers.
Metric time_evidence(std::string name, double us);
Metric count_evidence(std::string name, double count);

// The step's time if its work took `scale` of its present least time and the kernel stayed as good
// as it is: us * roof(changed work) / roof(work).
double rescaled_us(const Evidence& in, size_t step, const RoofWork& changed);
RoofWork work_of(const Evidence& in, size_t step);

// The finding that steps are there at all: repairing it saves all of their time. The rule may say
// more.
Finding removable(const Evidence& in, std::vector<size_t> steps, std::string title,
                  std::string fix);

// Steps for which `wanted` holds.
template <class Predicate>
std::vector<size_t> steps_where(const Evidence& in, const Predicate& wanted) {
  std::vector<size_t> found;
  for (size_t s = 0; s < in.steps(); ++s) {
    if (wanted(s)) found.push_back(s);
  }
  return found;
}

}  // namespace hone
