#pragma once

#include <array>
#include <span>

#include "hone/device/device_class.h"

namespace hone {

// Families that some network has more of than another. What all have alike cannot be told from what
// it takes to begin a run, which is given all of it. Of one network alone, all that it has.
std::array<bool, kFamilyCount> families_told(std::span<const ClassDevice> devices);

// Logarithms of the costs that explain the points of all devices best when devices differ by one
// factor each: least squares of measured over predicted with costs that are not negative, which has
// one solution wherever it starts. Families that explain nothing stay near `start`, in nanoseconds,
// and those that are not told stay there.
FamilyWork first_costs(std::span<const ClassDevice> devices, const FamilyWork& start);

}  // namespace hone
