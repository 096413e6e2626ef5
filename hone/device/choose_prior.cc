#include "hone/device/choose_prior.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace hone {
namespace {

constexpr size_t kFewestToHoldOut = 3;
constexpr size_t kManyDevices = 10;
constexpr size_t kPriorParts = 4;
constexpr size_t kPointsTried = 8;  // About so many of each device, one at a time.

double log_miss(const FamilyCosts& costs, const MeasuredWork& point) {
  return std::abs(std::log(predict_costs(costs, point.work, point.effect).ms / point.ms));
}

// How far the device's points are off when another of them is known: the sum of their means.
double misses_of(const DeviceClass& learned, const ClassDevice& device) {
  std::vector<MeasuredWork> points = device.points;
  for (MeasuredWork& point : points) point.effect = effect_of(learned, point.work);
  const FamilyCosts before = costs_of(learned, device.member);
  const size_t apart = std::max<size_t>(1, points.size() / kPointsTried);
  double total = 0, count = 0;
  for (size_t known = 0; known < points.size(); known += apart) {
    const FamilyCosts costs = learn_from(before, std::span(points).subspan(known, 1));
    for (size_t p = 0; p < points.size(); ++p) {
      if (p == known) continue;
      total += log_miss(costs, points[p]);
      count += 1;
    }
  }
  return count > 0 ? total / count * static_cast<double>(points.size()) : 0;
}

double misses_without(std::span<const ClassDevice> devices, const std::set<std::string>& held_out,
                      const CostPrior& prior) {
  std::vector<ClassDevice> others;
  std::ranges::copy_if(devices, std::back_inserter(others),
                       [&](const ClassDevice& device) { return !held_out.contains(device.name); });
  DeviceClass learned = learn_class(others, prior);
  learned.peaks.reset();
  double total = 0;
  for (const ClassDevice& device : devices) {
    if (held_out.contains(device.name)) total += misses_of(learned, device);
  }
  return total;
}

}  // namespace

CostPrior chosen_prior(std::span<const ClassDevice> devices) {
  std::set<std::string> names;
  for (const ClassDevice& device : devices) names.insert(device.name);
  if (names.size() < kFewestToHoldOut || names.size() > kManyDevices) return {};
  std::vector<std::set<std::string>> parts(std::min(kPriorParts, names.size()));
  size_t place = 0;
  for (const std::string& name : names) parts[place++ % parts.size()].insert(name);
  double usual = 0, of_each = 0;
  for (const std::set<std::string>& part : parts) {
    usual += misses_without(devices, part, {});
    of_each += misses_without(devices, part, kPriorOfEach);
  }
  return of_each < usual ? kPriorOfEach : CostPrior{};
}

}  // namespace hone
