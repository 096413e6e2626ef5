// What each family of kernels costs on a device, as far as it is known: the mean and the covariance
// of the logarithms. Measured points make them better known, as Bayes has it: a device of which
// nothing was measured has the costs of its class, and every point counts for as much as it tells.
#pragma once

#include <span>
#include <vector>

#include "hone/device/family_matrix.h"

namespace hone {

struct FamilyCosts {
  FamilyWork log_ns = {};  // Of a unit of each family.
  FamilyMatrix covariance = {};
  // Deviations are so many times those that the covariance says: points that lie far from what was
  // expected are a device that differs more than others do, also where nothing was measured.
  double scale = 1;
};

// What the families of kernels do not tell of a network.
struct NetworkEffect {
  double log_factor = 0;  // On its times.
  // Deviation of log(measured / predicted) that stays when the costs are known for sure.
  double sigma = 0;
};

struct CostPrediction {
  double ms = 0;
  double deviation = 0;    // Of log(measured / predicted).
  FamilyWork shares = {};  // Of the time, by family.
};
CostPrediction predict_costs(const FamilyCosts& costs, const FamilyWork& work,
                             const NetworkEffect& effect = {});

struct MeasuredWork {
  FamilyWork work = {};
  double ms = 0;
  NetworkEffect effect = {};
};

// The costs that are most likely after the points, and how well they are known then. Requires a
// sigma of every point's network. `trust` gets how much each point was taken to tell: about 1, and
// less for one that agrees with no other.
FamilyCosts learn_from(const FamilyCosts& before, std::span<const MeasuredWork> points,
                       std::vector<double>* trust = nullptr);

}  // namespace hone
