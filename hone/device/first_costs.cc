#include "hone/device/first_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double kNsOfMs = 1e6;
constexpr double kLeastOfStart = 0.03;  // What explains nothing costs at least so much of `start`.
constexpr double kStartRows = 8;        // What so many rows would say: costs are as at the start.
constexpr double kFar = 0.3;            // Logarithms further off count for less.

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class FirstCosts {
 public:
  FirstCosts(std::span<const ClassDevice> devices, const FamilyWork& start)
      : devices_(devices),
        start_(start),
        costs_(start),
        levels_(devices.size()),
        told_(families_told(devices)) {
    for (size_t d = 0; d < devices.size(); ++d) levels_[d] = -std::log(devices[d].member.gops);
  }

  FamilyWork find() {
    constexpr int kTurns = 6;
    for (int turn = 0; turn < kTurns; ++turn) {
      solve(turn > 0);
      find_levels();
    }
    FamilyWork logs = {};
    for (size_t i = 0; i < kFamilyCount; ++i) {
      const double cost = told_[i] ? costs_[i] : start_[i];
      logs[i] = std::log(std::max(cost, kLeastOfStart * start_[i]));
    }
    return logs;
  }

 private:
  double log_error(size_t d, const MeasuredWork& point) const {
    return std::log(kNsOfMs * point.ms / dot(costs_, point.work)) - levels_[d];
  }

  // Rows of predicted / measured, by family, with costs of 1; they should add up to 1.
  void solve(bool weigh) {
    FamilyMatrix squares = {};
    FamilyWork sums = {};
    std::vector<double> scales;
    double rows = 0;
    for (size_t d = 0; d < devices_.size(); ++d) {
      for (const MeasuredWork& point : devices_[d].points) {
        FamilyWork row = point.work;
        const double ns = kNsOfMs * point.ms / std::exp(levels_[d]);
        for (double& value : row) value /= ns;
        const double weight = weigh ? 1 / (1 + std::pow(log_error(d, point) / kFar, 2)) : 1;
        add_square(squares, row, weight);
        for (size_t i = 0; i < kFamilyCount; ++i) sums[i] += weight * row[i];
        rows += weight;
        scales.push_back(1 / dot(start_, row));
      }
    }
    descend(squares, sums, rows, median_of(std::move(scales)));
  }

  // One cost after the other, each as good as the others allow, until they settle.
  void descend(const FamilyMatrix& squares, const FamilyWork& sums, double rows, double scale) {
    constexpr int kSweeps = 2000;
    costs_ = {};
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (size_t i = 0; i < kFamilyCount; ++i) {
        if (!told_[i]) continue;
        const double mean = sums[i] / rows;
        const double pull = kStartRows * mean * mean;
        const double others = dot(squares[i], costs_) - squares[i][i] * costs_[i];
        costs_[i] =
            std::max(0.0, (sums[i] - others + pull * scale * start_[i]) / (squares[i][i] + pull));
      }
    }
  }

  void find_levels() {
    double mean = 0;
    for (size_t d = 0; d < devices_.size(); ++d) {
      std::vector<double> errors;
      for (const MeasuredWork& point : devices_[d].points) errors.push_back(log_error(d, point));
      levels_[d] += median_of(std::move(errors));
      const double beside_peak = levels_[d] + std::log(devices_[d].member.gops);
      mean += beside_peak / static_cast<double>(devices_.size());
    }
    for (double& level : levels_) level -= mean;
  }

  std::span<const ClassDevice> devices_;
  FamilyWork start_;
  FamilyWork costs_;
  std::vector<double> levels_;  // Logarithm of each device's factor on the costs.
  std::array<bool, kFamilyCount> told_;
};

}  // namespace

std::array<bool, kFamilyCount> families_told(std::span<const ClassDevice> devices) {
  FamilyWork least = {}, most = {};
  least.fill(std::numeric_limits<double>::infinity());
  for (const ClassDevice& device : devices) {
    for (const MeasuredWork& point : device.points) {
      for (size_t i = 0; i < kFamilyCount; ++i) {
        least[i] = std::min(least[i], point.work[i]);
        most[i] = std::max(most[i], point.work[i]);
      }
    }
  }
  const bool differ = least != most;
  std::array<bool, kFamilyCount> told = {};
  for (size_t i = 0; i < kFamilyCount; ++i) told[i] = most[i] > (differ ? least[i] : 0);
  told[family_index("run")] = true;
  return told;
}

FamilyWork first_costs(std::span<const ClassDevice> devices, const FamilyWork& start) {
  return FirstCosts(devices, start).find();
}

}  // namespace hone
