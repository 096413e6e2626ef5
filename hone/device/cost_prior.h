// What is taken of how the costs of a class's devices differ before any of them is seen.
#pragma once

#include "hone/device/family_matrix.h"

namespace hone {

// Variances of the logarithms of costs, beside that of all families together. Those of the largest
// class, Arm CPUs, where 34 devices tell them: products of one kind of arithmetic differ little from
// one another, and what begins a step or a run is the host's and differs most.
struct CostPrior {
  double products = 0.03;  // 1x1, 3x3 and other dense convolutions, products of matrices.
  double starts = 0.3;     // Of steps and runs.
  double others = 0.15;
};

// Where devices run through several libraries, each family differs by itself.
inline constexpr CostPrior kPriorOfEach = {.products = 0.15, .starts = 0.15, .others = 0.15};

FamilyMatrix covariance_of(const CostPrior& prior);

}  // namespace hone
