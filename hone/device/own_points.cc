#include "hone/device/own_points.h"

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Beyond so many deviations a time may be a mistake. Where the others agree it counts as no more.
constexpr double kOdd = 4;
// What so many points would say that agree with the class.
constexpr double kPriorPoints = 4;
// Points are left out one at a time up to so many, and in as many parts where there are more.
constexpr size_t kMostParts = 20;
constexpr double kThousand = 1000;
constexpr double kAboutAThousand = 2.5;  // Either way.

class PointsChecker {
 public:
  PointsChecker(const DeviceClass& of, const ClassMember& member,
                std::span<const MeasuredWork> points)
      : class_(of), before_(costs_of(of, member)), points_(points), found_(points.size()) {}

  std::vector<LeftOutPoint> check() {
    while (take_away_the_worst()) {
    }
    const auto odd = std::ranges::count(found_, true, &LeftOutPoint::is_odd);
    const bool others_agree = 2 * odd < static_cast<std::ptrdiff_t>(points_.size());
    for (LeftOutPoint& point : found_) point.is_left_out = point.is_odd && others_agree;
    if (!others_agree) predict_all([](size_t) { return true; });
    for (size_t p = 0; p < points_.size(); ++p) compare_with_class(p);
    return std::move(found_);
  }

 private:
  // By what is left out together.
  size_t part_of(size_t point) const { return point % std::min(points_.size(), kMostParts); }

  // Each by those of the others that are among `taken`; those that were found odd stay as they are.
  template <class Taken>
  void predict_all(const Taken& taken) {
    for (size_t part = 0; part < std::min(points_.size(), kMostParts); ++part) {
      std::vector<MeasuredWork> others;
      for (size_t p = 0; p < points_.size(); ++p) {
        if (part_of(p) != part && taken(p)) others.push_back(points_[p]);
      }
      const FamilyCosts costs = learn_from(before_, others);
      for (size_t p = part; p < points_.size(); p += std::min(points_.size(), kMostParts)) {
        if (!found_[p].is_odd) found_[p] = compared(p, costs, others.size());
      }
    }
  }

  LeftOutPoint compared(size_t point, const FamilyCosts& costs, size_t known) const {
    const MeasuredWork& measured = points_[point];
    const CostPrediction expected = predict_costs(costs, measured.work, measured.effect);
    const double width =
        class_log_width(class_, static_cast<int>(known), measured.work, expected.deviation);
    const double off = std::log(measured.ms / expected.ms);
    return {.expected_ms = expected.ms,
            .log_off = off,
            .deviations = std::abs(off) * kNineOfTen / width};
  }

  // One that is off makes those look so that it is compared with: the worst goes first.
  bool take_away_the_worst() {
    predict_all([&](size_t p) { return !found_[p].is_odd; });
    LeftOutPoint* worst = nullptr;
    for (LeftOutPoint& point : found_) {
      if (point.is_odd || point.deviations <= kOdd) continue;
      if (worst == nullptr || point.deviations > worst->deviations) worst = &point;
    }
    if (worst != nullptr) worst->is_odd = true;
    return worst != nullptr;
  }

  // Points may agree with one another and be all in another unit, or with none: then it is the class
  // that tells what is odd.
  void compare_with_class(size_t point) {
    if (found_[point].is_left_out) return;
    const LeftOutPoint by_class = compared(point, before_, 0);
    if (by_class.deviations <= kOdd) return;
    found_[point] = by_class;
    found_[point].is_odd = true;
  }

  const DeviceClass& class_;
  const FamilyCosts before_;
  std::span<const MeasuredWork> points_;
  std::vector<LeftOutPoint> found_;
};

// Where the factor is about that between two units.
std::string_view unit_text(double factor, bool less) {
  if (factor < kThousand / kAboutAThousand || factor > kThousand * kAboutAThousand) return "";
  return less ? "; seconds instead of milliseconds?" : "; microseconds instead of milliseconds?";
}

}  // namespace

std::vector<LeftOutPoint> leave_out_points(const DeviceClass& of, const ClassMember& member,
                                           std::span<const MeasuredWork> points) {
  if (points.empty()) return {};
  return PointsChecker(of, member, points).check();
}

double widening_of(std::span<const LeftOutPoint> points) {
  if (points.size() < 2) return 1;
  double squares = kPriorPoints;
  for (const LeftOutPoint& point : points) {
    squares += std::pow(point.is_left_out ? kOdd : point.deviations, 2);
  }
  return std::max(1.0, std::sqrt(squares / (static_cast<double>(points.size()) + kPriorPoints)));
}

std::string odd_text(const LeftOutPoint& point) {
  const bool less = point.log_off < 0;
  const double factor = std::exp(std::abs(point.log_off));
  return str(fixed(factor, factor < 10 ? 1 : 0), " times ", less ? "less" : "more",
             " than expected (", fixed(point.expected_ms, 3), " ms)", unit_text(factor, less));
}

}  // namespace hone
