// Which model to take under a limit of latency, in sentences.
#pragma once

#include <string>
#include <vector>

#include "hone/profile/model_comparison.h"

namespace hone {

// Which model to take on each device under the limit; empty without one.
std::vector<std::string> choice_lines(const ModelComparison& comparison);
// The same in short for an only device; else empty.
std::string choice_headline(const ModelComparison& comparison);

}  // namespace hone
