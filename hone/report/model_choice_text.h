// Which model to take, in sentences: under a limit of latency, or by accuracy and speed.
#pragma once

#include <string>
#include <vector>

#include "hone/profile/model_comparison.h"

namespace hone {

// Which model to take on each device under the limit; empty without one.
std::vector<std::string> choice_lines(const ModelComparison& comparison);
// What to take on each device, in short: under the limit, or without one by accuracy and by speed;
// empty where there are neither.
std::string choice_headline(const ModelComparison& comparison);

}  // namespace hone
