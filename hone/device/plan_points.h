// Which networks to measure on a device so that its times of others are known best.
#pragma once

#include <span>
#include <vector>

#include "hone/device/device_class.h"

namespace hone {

struct PlannedPoint {
  size_t network = 0;  // Among those that can be measured.
  // Of log(measured / predicted) after it, over all networks: the root of the mean square.
  double deviation = 0;
};

// At most `count` of the networks, one after another: each is the one that leaves the least doubt
// about all of them, given those before it. Noisy ones tell little. How long a network takes is not
// asked.
std::vector<PlannedPoint> plan_points(const FamilyCosts& costs,
                                      std::span<const ClassNetwork> networks, size_t count);

}  // namespace hone
