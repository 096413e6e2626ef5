#include "hone/device/family_costs.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kNsPerMs = 1e6;

FamilyWork exponentials(const FamilyWork& logs) {
  FamilyWork result = {};
  for (size_t i = 0; i < kFamilyCount; ++i) result[i] = std::exp(logs[i]);
  return result;
}

// How the predicted time of a network moves with the logarithms of the costs: the families' shares.
struct Slope {
  double log_ms = 0;
  FamilyWork shares = {};
};

Slope slope_at(const FamilyWork& log_ns, const FamilyWork& work) {
  const FamilyWork ns = exponentials(log_ns);
  const double total = dot(ns, work);
  Slope slope{.log_ms = std::log(total / kNsPerMs)};
  for (size_t i = 0; i < kFamilyCount; ++i) slope.shares[i] = ns[i] * work[i] / total;
  return slope;
}

// What is expected stands for so many points that are off as far as it says.
constexpr double kExpectedPoints = 1;
// Points that are further off are mistakes, or of another kind of device: that tells no scale.
constexpr double kMostScale = 3;

// The likeliest costs by Gauss's and Newton's steps, each halved until it gains. Points that lie far
// from the others count for less, as Student's distribution has it: tables have mistakes.
class Likeliest {
 public:
  Likeliest(const FamilyCosts& before, std::span<const MeasuredWork> points)
      : before_(before),
        precision_(inverse(before.covariance)),
        points_(points),
        at_(before.log_ns),
        trust_(points.size(), 1) {
    for (const MeasuredWork& point : points) weights_.push_back(std::pow(point.effect.sigma, -2));
  }

  FamilyCosts find() {
    constexpr int kSteps = 20;
    for (int i = 0; i < kSteps; ++i) {
      if (!step()) break;
    }
    return {at_, inverse(curvature().matrix), before_.scale * scale()};
  }

  const std::vector<double>& trust() const { return trust_; }

 private:
  // The misfit of points that are off as expected is their number. What is off at the likeliest
  // costs counts with what it took to get there: as a covariance that is known up to a factor has it.
  double scale() const {
    const auto count = static_cast<double>(points_.size());
    const double squares = (kExpectedPoints + misfit(at_)) / (kExpectedPoints + count);
    return std::min(kMostScale, std::sqrt(squares));
  }

  struct Curvature {
    FamilyMatrix matrix;
    FamilyWork down;  // The way to less misfit.
  };

  double error_at(const FamilyWork& log_ns, size_t point) const {
    const MeasuredWork& measured = points_[point];
    return std::log(measured.ms) - measured.effect.log_factor -
           slope_at(log_ns, measured.work).log_ms;
  }

  double misfit(const FamilyWork& log_ns) const {
    const FamilyWork off = minus(log_ns, before_.log_ns);
    double total = dot(off, product(precision_, off));
    for (size_t p = 0; p < points_.size(); ++p) {
      total += trust_[p] * weights_[p] * std::pow(error_at(log_ns, p), 2);
    }
    return total;
  }

  // Of a few points none can be told from the others.
  void weigh_points() {
    constexpr size_t kFew = 3;
    constexpr double kDegrees = 4;
    if (points_.size() <= kFew) return;
    for (size_t p = 0; p < points_.size(); ++p) {
      trust_[p] = (kDegrees + 1) / (kDegrees + weights_[p] * std::pow(error_at(at_, p), 2));
    }
  }

  Curvature curvature() const {
    Curvature result{precision_, product(precision_, minus(before_.log_ns, at_))};
    for (size_t p = 0; p < points_.size(); ++p) {
      const Slope slope = slope_at(at_, points_[p].work);
      const double error = error_at(at_, p);
      const double weight = trust_[p] * weights_[p];
      add_square(result.matrix, slope.shares, weight);
      for (size_t i = 0; i < kFamilyCount; ++i) {
        result.down[i] += weight * error * slope.shares[i];
      }
    }
    return result;
  }

  bool step() {
    constexpr double kGain = 1e-9;
    weigh_points();
    const Curvature curve = curvature();
    const FamilyWork whole = product(inverse(curve.matrix), curve.down);
    const double now = misfit(at_);
    for (double part = 1; part > 1e-3; part /= 2) {
      FamilyWork next = at_;
      for (size_t i = 0; i < kFamilyCount; ++i) next[i] += part * whole[i];
      if (!(misfit(next) < now - kGain)) continue;  // Nor where it is no number.
      at_ = next;
      return true;
    }
    return false;
  }

  const FamilyCosts& before_;
  FamilyMatrix precision_;
  std::span<const MeasuredWork> points_;
  std::vector<double> weights_ = {};  // Of each point: how sure its network is,
  FamilyWork at_;
  std::vector<double> trust_;  // and how well it agrees with the others.
};

}  // namespace

CostPrediction predict_costs(const FamilyCosts& costs, const FamilyWork& work,
                             const NetworkEffect& effect) {
  const Slope slope = slope_at(costs.log_ns, work);
  const double unknown = dot(slope.shares, product(costs.covariance, slope.shares));
  return {.ms = std::exp(slope.log_ms + effect.log_factor),
          .deviation = costs.scale * std::sqrt(effect.sigma * effect.sigma + unknown),
          .shares = slope.shares};
}

FamilyCosts learn_from(const FamilyCosts& before, std::span<const MeasuredWork> points,
                       std::vector<double>* trust) {
  if (points.empty()) return before;
  Likeliest likeliest(before, points);
  FamilyCosts costs = likeliest.find();
  if (trust != nullptr) *trust = likeliest.trust();
  return costs;
}

}  // namespace hone
