#pragma once

#include <string>
#include <vector>

#include "hone/quantize/scheme.h"
#include "hone/targets/target.h"

namespace hone {

// Changes the plan into one that the target runs on integers: one scale per tensor where scales per
// channel would fall back to float, scales of 2^n where the hardware shifts, the element type it
// has, and only operators that it computes on integers, unless the plan names some. Says what it
// changed and why, a sentence each.
std::vector<std::string> fit_to_target(QuantizePlan& plan, const TargetDef& target);

}  // namespace hone
