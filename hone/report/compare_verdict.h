// What a person should take from a comparison when reading one sentence of it.
#pragma once

#include <string>

#include "hone/profile/comparison.h"
#include "hone/profile/model_comparison.h"

namespace hone {

// "npu is the fastest of 3 devices, 0.0486 ms (simulated), though the intervals allow cpu; npu takes
// the least energy, 0.0054 mJ (predicted)".
std::string comparison_verdict(const DeviceComparison& comparison);

// Which model to take, where there is a limit or accuracies; otherwise which is the fastest on each
// device.
std::string models_verdict(const ModelComparison& comparison);

}  // namespace hone
