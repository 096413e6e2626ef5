// How the costs of all families move with one number of a device: the logarithm of its peak or of its
// threads, or whether it is one of a group.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "hone/device/family_matrix.h"

namespace hone {

// What is taken of a slope before any device is seen.
struct SlopePrior {
  FamilyWork mean = {};
  double most = std::numeric_limits<double>::infinity();
};

// `off` is what the slope, as it is, leaves of the logarithms of each device's costs; it becomes what
// the likeliest one leaves. `precision` is the inverse of the covariance that it leaves. Families
// move together far more surely than each alone: what one device tells of one family is little.
void update_slope(std::span<const double> numbers, const FamilyMatrix& precision,
                  const SlopePrior& prior, std::vector<FamilyWork>& off, FamilyWork& slope);

}  // namespace hone
