#include "hone/device/device_class.h"

#include <algorithm>
#include <cmath>

#include "hone/device/first_costs.h"

namespace hone {
namespace {

// Nanoseconds of a unit on a device of 1 GOP/s, before anything is learned: families that no
// network of the points has stay there.
constexpr FamilyWork kStartNs = {4, 2, 8, 12, 16, 8, 4, 16, 200, 80, 4, 80, 4e4, 4e4};
constexpr double kStartSigma = 0.15;
// What so many devices would say of how costs differ: by a factor of their own, and all together.
// Families that no network has keep it.
constexpr double kPriorDevices = 3;
constexpr double kPriorVarianceAlone = 0.15;
constexpr double kPriorVarianceTogether = 0.1;
// Of what groups and threads add to the logarithm of the costs.
constexpr double kGroupVariance = 0.25;
constexpr int kRounds = 40;

// What the peak, threads and group add to the logarithms of the costs.
FamilyWork shift_of(const DeviceClass& of, const ClassMember& member) {
  FamilyWork shift = {};
  const auto group = of.groups.find(member.group);
  if (group != of.groups.end()) shift = group->second;
  for (size_t i = 0; i < kFamilyCount; ++i) {
    shift[i] += of.thread_loss[i] * std::log(member.threads) - std::log(member.gops);
  }
  return shift;
}

FamilyMatrix prior_covariance() {
  FamilyMatrix covariance = diagonal(kPriorVarianceAlone);
  FamilyWork ones = {};
  ones.fill(1);
  add_square(covariance, ones, kPriorVarianceTogether);
  return covariance;
}

class ClassLearner {
 public:
  explicit ClassLearner(std::span<const ClassDevice> devices) : devices_(devices) {
    class_.costs = {first_costs(devices, kStartNs), prior_covariance(), kStartSigma};
    for (const ClassDevice& device : devices) {
      if (!device.member.group.empty()) class_.groups[device.member.group] = {};
    }
  }

  DeviceClass learn() {
    for (int round = 0; round < kRounds; ++round) {
      estimate_devices();
      update_class();
    }
    for (size_t i = 0; i < kFamilyCount; ++i) {
      if (!seen(i)) class_.unseen.emplace(kKernelFamilies[i]);
    }
    return class_;
  }

 private:
  bool seen(size_t family) const {
    return std::ranges::any_of(devices_, [&](const ClassDevice& device) {
      return std::ranges::any_of(device.points,
                                 [&](const MeasuredWork& point) { return point.work[family] > 0; });
    });
  }

  // The costs of every device as they would be at 1 GOP/s, one thread and no group.
  void estimate_devices() {
    estimates_.clear();
    squares_ = count_ = 0;
    for (const ClassDevice& device : devices_) {
      std::vector<double> trust;
      FamilyCosts costs = learn_from(costs_of(class_, device.member), device.points, &trust);
      FamilyCosts exact = costs;
      exact.sigma = 0;
      for (size_t p = 0; p < device.points.size(); ++p) {
        const CostPrediction prediction = predict_costs(exact, device.points[p].work);
        const double error = std::log(device.points[p].ms / prediction.ms);
        squares_ += trust[p] * error * error + prediction.deviation * prediction.deviation;
        count_ += 1;
      }
      costs.log_ns = minus(costs.log_ns, shift_of(class_, device.member));
      estimates_.push_back(costs);
    }
  }

  void update_class() {
    const auto n = static_cast<double>(devices_.size());
    FamilyWork mean = {};
    for (const FamilyCosts& costs : estimates_) {
      for (size_t i = 0; i < kFamilyCount; ++i) mean[i] += costs.log_ns[i] / n;
    }
    FamilyMatrix covariance = scaled(prior_covariance(), kPriorDevices / (n + kPriorDevices));
    for (const FamilyCosts& costs : estimates_) {
      covariance = sum(covariance, scaled(costs.covariance, 1 / (n + kPriorDevices)));
      add_square(covariance, minus(costs.log_ns, mean), 1 / (n + kPriorDevices));
    }
    class_.costs = {mean, covariance, std::sqrt(squares_ / count_)};
    update_shifts();
  }

  // What threads and groups explain of how far devices are from the class: one after the other, as
  // rounds go on.
  void update_shifts() {
    for (size_t i = 0; i < kFamilyCount; ++i) {
      std::vector<double> off;
      for (const FamilyCosts& costs : estimates_) {
        off.push_back(costs.log_ns[i] - class_.costs.log_ns[i]);
      }
      const double pull = class_.costs.covariance[i][i] / kGroupVariance;
      update_threads(off, pull, class_.thread_loss[i]);
      for (auto& [group, shifts] : class_.groups) update_group(group, off, pull, shifts[i]);
    }
  }

  void update_threads(std::vector<double>& off, double pull, double& loss) const {
    double product = 0, squares = pull;
    const double before = loss;
    for (size_t d = 0; d < devices_.size(); ++d) {
      const double logs = std::log(devices_[d].member.threads);
      product += (off[d] + before * logs) * logs;
      squares += logs * logs;
    }
    loss = product / squares;
    for (size_t d = 0; d < devices_.size(); ++d) {
      off[d] -= (loss - before) * std::log(devices_[d].member.threads);
    }
  }

  void update_group(const std::string& group, const std::vector<double>& off, double pull,
                    double& shift) const {
    double total = 0, count = pull;
    for (size_t d = 0; d < devices_.size(); ++d) {
      if (devices_[d].member.group != group) continue;
      total += off[d] + shift;
      count += 1;
    }
    shift = total / count;
  }

  std::span<const ClassDevice> devices_;
  DeviceClass class_ = {};
  std::vector<FamilyCosts> estimates_ = {};
  double squares_ = 0;
  double count_ = 0;
};

}  // namespace

FamilyCosts costs_of(const DeviceClass& of, const ClassMember& member) {
  FamilyCosts costs = of.costs;
  const FamilyWork shift = shift_of(of, member);
  for (size_t i = 0; i < kFamilyCount; ++i) costs.log_ns[i] += shift[i];
  return costs;
}

DeviceClass learn_class(std::span<const ClassDevice> devices) {
  return ClassLearner(devices).learn();
}

}  // namespace hone
