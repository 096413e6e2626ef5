#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/targets/target.h"

namespace hone {

// The steps of a program that run through their operators' references, since no kernel takes them.
struct References {
  size_t count = 0;
  size_t steps = 0;                // Of the program.
  std::map<std::string, int> ops;  // How often each operator is among them.
  std::optional<double> percent;   // Of the time of all steps, where that was measured.
};

References count_references(const std::vector<StepInfo>& steps);
// "3 of 31 steps, 45.1 % of their time: no kernel takes them (softmax 2, top_k 1)"; empty where
// there are none. `why` they run so is that of references.
std::string text_of(const References& references, std::string_view why = "no kernel takes them");

}  // namespace hone
