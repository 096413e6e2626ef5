#pragma once

#include <span>

#include "hone/device/device_class.h"

namespace hone {

// Logarithms of the costs that explain the points of all devices best when devices differ by one
// factor each: least squares of measured over predicted with costs that are not negative, which has
// one solution wherever it starts. Families that explain nothing, and those that no network has,
// stay near `start`, in nanoseconds.
FamilyWork first_costs(std::span<const ClassDevice> devices, const FamilyWork& start);

}  // namespace hone
