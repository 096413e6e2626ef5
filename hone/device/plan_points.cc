#include "hone/device/plan_points.h"

#include <cmath>
#include <optional>

namespace hone {
namespace {

// As if logarithms of times moved in proportion with those of the costs: what a point tells does
// not depend on what is measured then.
class Planner {
 public:
  Planner(const FamilyCosts& costs, std::span<const ClassNetwork> networks)
      : covariance_(costs.covariance), scale_(costs.scale) {
    for (const ClassNetwork& network : networks) {
      candidates_.push_back({.shares = predict_costs(costs, network.work).shares,
                             .noise = network.effect.sigma * network.effect.sigma});
    }
  }

  // None when all are taken.
  std::optional<PlannedPoint> take_best() {
    std::optional<PlannedPoint> best;
    for (size_t n = 0; n < candidates_.size(); ++n) {
      if (candidates_[n].is_taken) continue;
      const double left = deviation_after(n);
      if (!best || left < best->deviation) best = PlannedPoint{n, left};
    }
    if (best) {
      covariance_ = covariance_after(candidates_[best->network]);
      candidates_[best->network].is_taken = true;
    }
    return best;
  }

 private:
  struct Candidate {
    FamilyWork shares = {};
    double noise = 0;
    bool is_taken = false;
  };

  FamilyMatrix covariance_after(const Candidate& candidate) const {
    const FamilyWork moved = product(covariance_, candidate.shares);
    FamilyMatrix after = covariance_;
    add_square(after, moved, -1 / (dot(candidate.shares, moved) + candidate.noise));
    return after;
  }

  double deviation_after(size_t network) const {
    const FamilyMatrix after = covariance_after(candidates_[network]);
    double squares = 0;
    for (const Candidate& other : candidates_) {
      squares += other.noise + dot(other.shares, product(after, other.shares));
    }
    return scale_ * std::sqrt(squares / static_cast<double>(candidates_.size()));
  }

  FamilyMatrix covariance_;
  double scale_;
  std::vector<Candidate> candidates_ = {};
};

}  // namespace

std::vector<PlannedPoint> plan_points(const FamilyCosts& costs,
                                      std::span<const ClassNetwork> networks, size_t count) {
  Planner planner(costs, networks);
  std::vector<PlannedPoint> plan;
  while (plan.size() < count) {
    const std::optional<PlannedPoint> best = planner.take_best();
    if (!best) break;
    plan.push_back(*best);
  }
  return plan;
}

}  // namespace hone
