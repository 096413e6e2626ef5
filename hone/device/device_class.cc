#include "hone/device/device_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/base/str.h"
#include "hone/device/choose_prior.h"
#include "hone/device/family_slope.h"
#include "hone/device/first_costs.h"

namespace hone {
namespace {

// Nanoseconds of a unit on a device of 1 GOP/s, before anything is learned: families that no
// network of the points has stay there. Steps and runs begin alike on all.
constexpr FamilyWork kStartNs = {4, 2, 8, 12, 16, 8, 4, 16, 200, 80, 4, 80, 2e3, 1e4};
// A faster device does not begin its steps sooner.
constexpr FamilyWork kStartPeakLoss = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
constexpr double kStartSigma = 0.15;
// What so many devices would say of how costs differ: by a factor of their own, and all together.
// Families that no network has keep it.
constexpr double kPriorDevices = 3;
constexpr int kRounds = 40;
// Fewer configurations do not tell what is a network's own from what is a device's.
constexpr size_t kFewestDevices = kFewDevices;
// What so many times would say of how far a network's own are apart: as far as all are.
constexpr double kPriorTimes = 4;
constexpr double kLeastOfNoise = 0.4;  // Of that variance, for any network.
// Of logarithms of times: equal ones do not show that nothing else could have been measured.
constexpr double kLeastNoise = 0.005;
// Beyond kSamePeaks costs are off by about so much of the logarithm of what the peak is beyond it.
constexpr double kBeyondPeaks = 0.5;

// What the peak, threads and group add to the logarithms of the costs.
FamilyWork shift_of(const DeviceClass& of, const ClassMember& member) {
  FamilyWork shift = {};
  const auto group = of.groups.find(member.group);
  if (group != of.groups.end()) shift = group->second;
  const double higher = std::log(member.gops / of.typical_gops);
  for (size_t i = 0; i < kFamilyCount; ++i) {
    shift[i] += of.thread_loss[i] * std::log(member.threads) + of.peak_loss[i] * higher -
                std::log(member.gops);
  }
  return shift;
}

// A group of one device is that device by another name: how alike those of a group are is told where
// some group has several.
bool has_shared_group(std::span<const ClassDevice> devices) {
  std::map<std::string, std::string> first_of;
  for (const ClassDevice& device : devices) {
    if (device.member.group.empty()) continue;
    const auto first = first_of.emplace(device.member.group, device.name).first;
    if (first->second != device.name) return true;
  }
  return false;
}

PeakRange range_of(std::span<const ClassDevice> devices) {
  PeakRange peaks{devices[0].member.gops, devices[0].member.gops};
  for (const ClassDevice& device : devices) {
    peaks.least_gops = std::min(peaks.least_gops, device.member.gops);
    peaks.most_gops = std::max(peaks.most_gops, device.member.gops);
  }
  return peaks;
}

class ClassLearner {
 public:
  ClassLearner(std::span<const ClassDevice> devices, const CostPrior& prior)
      : devices_(devices.begin(), devices.end()), prior_(covariance_of(prior)) {
    for (const ClassDevice& device : devices) {
      class_.typical_gops *= std::pow(device.member.gops, 1 / static_cast<double>(devices.size()));
    }
    class_.peaks = range_of(devices);
    class_.peak_loss = kStartPeakLoss;
    class_.costs = {first_costs(at_peaks(devices), start_costs()), prior_};
    const bool groups = has_shared_group(devices);
    for (const ClassDevice& device : devices) {
      if (groups && !device.member.group.empty()) class_.groups[device.member.group] = {};
      for (size_t p = 0; p < device.points.size(); ++p) add_network(device, p);
    }
  }

  DeviceClass learn() {
    for (int round = 0; round < kRounds; ++round) {
      estimate_devices();
      update_class();
    }
    const std::array<bool, kFamilyCount> told = families_told(devices_);
    for (size_t i = 0; i < kFamilyCount; ++i) {
      if (!told[i]) class_.unseen.emplace(kKernelFamilies[i]);
    }
    return class_;
  }

 private:
  // Of a device of 1 GOP/s, as far as costs go by the peak.
  FamilyWork start_costs() const {
    FamilyWork costs = kStartNs;
    for (size_t i = 0; i < kFamilyCount; ++i) {
      costs[i] *= std::pow(class_.typical_gops, kStartPeakLoss[i]);
    }
    return costs;
  }

  // The same work for costs that go by the peak alone.
  std::vector<ClassDevice> at_peaks(std::span<const ClassDevice> devices) const {
    std::vector<ClassDevice> list(devices.begin(), devices.end());
    for (ClassDevice& device : list) {
      const double higher = device.member.gops / class_.typical_gops;
      for (MeasuredWork& point : device.points) {
        for (size_t i = 0; i < kFamilyCount; ++i) {
          point.work[i] *= std::pow(higher, class_.peak_loss[i]);
        }
      }
    }
    return list;
  }

  void add_network(const ClassDevice& device, size_t point) {
    const bool added = places_.emplace(device.networks[point], places_.size()).second;
    if (!added) return;
    class_.networks.push_back(
        {device.networks[point], device.points[point].work, {.sigma = kStartSigma}});
  }

  size_t network_of(const ClassDevice& device, size_t point) const {
    return places_.at(device.networks[point]);
  }

  // The costs of every device as they would be at 1 GOP/s, one thread and no group.
  void estimate_devices() {
    estimates_.clear();
    misses_.assign(class_.networks.size(), {});
    for (ClassDevice& device : devices_) {
      for (size_t p = 0; p < device.points.size(); ++p) {
        device.points[p].effect = class_.networks[network_of(device, p)].effect;
      }
      std::vector<double> trust;
      FamilyCosts costs = learn_from(costs_of(class_, device.member), device.points, &trust);
      costs.scale = 1;  // How far devices differ is what is learned here, from all of them.
      for (size_t p = 0; p < device.points.size(); ++p) {
        const CostPrediction prediction = predict_costs(costs, device.points[p].work);
        misses_[network_of(device, p)].add(device.points[p], prediction, trust[p]);
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
    FamilyMatrix covariance = scaled(prior_, kPriorDevices / (n + kPriorDevices));
    for (const FamilyCosts& costs : estimates_) {
      covariance = sum(covariance, scaled(costs.covariance, 1 / (n + kPriorDevices)));
      add_square(covariance, minus(costs.log_ns, mean), 1 / (n + kPriorDevices));
    }
    class_.costs = {mean, covariance};
    update_shifts();
    update_networks();
  }

  void update_networks() {
    double squares = 0, times = 0;
    for (const Misses& misses : misses_) {
      squares += misses.squares;
      times += misses.times;
    }
    const double noise = std::max(kLeastNoise * kLeastNoise, squares / times);
    if (devices_.size() >= kFewestDevices) return update_effects(noise);
    for (ClassNetwork& network : class_.networks) network.effect.sigma = std::sqrt(noise);
    class_.sigma = std::sqrt(noise);
  }

  // What a network's times have in common is its own; the rest is noise, of which some have more.
  void update_effects(double noise) {
    const double pull = noise / effects_variance_;
    double effects = 0;
    for (size_t n = 0; n < class_.networks.size(); ++n) {
      const Misses& misses = misses_[n];
      const double factor = misses.sum / (misses.trust + pull);
      const double doubt = noise / (misses.trust + pull);
      const double own = (misses.squares + kPriorTimes * noise) / (misses.trust + kPriorTimes);
      class_.networks[n].effect = {factor, std::sqrt(std::max(kLeastOfNoise * noise, own) + doubt)};
      effects += factor * factor + doubt;
    }
    effects_variance_ = effects / static_cast<double>(class_.networks.size());
    class_.sigma = std::sqrt(noise + effects_variance_);
  }

  // What peaks, threads and groups explain of how far devices are from the class: one after the
  // other, as rounds go on.
  void update_shifts() {
    std::vector<FamilyWork> off;
    for (const FamilyCosts& costs : estimates_) {
      off.push_back(minus(costs.log_ns, class_.costs.log_ns));
    }
    const FamilyMatrix precision = inverse(class_.costs.covariance);
    const auto update = [&](const auto& number_of, const SlopePrior& prior, FamilyWork& slope) {
      std::vector<double> numbers;
      for (const ClassDevice& device : devices_) numbers.push_back(number_of(device.member));
      update_slope(numbers, precision, prior, off, slope);
    };
    update([&](const ClassMember& of) { return std::log(of.gops / class_.typical_gops); },
           {kStartPeakLoss, kMostPeakLoss}, class_.peak_loss);
    update([](const ClassMember& of) { return std::log(of.threads); }, {}, class_.thread_loss);
    for (auto& named : class_.groups) {
      update([&](const ClassMember& of) { return of.group == named.first ? 1.0 : 0.0; }, {},
             named.second);
    }
  }

  // How far the times of a network are from what its families cost.
  struct Misses {
    double sum = 0;      // Of logarithms, the effect of the network included;
    double squares = 0;  // without it.
    double trust = 0;
    double times = 0;

    void add(const MeasuredWork& point, const CostPrediction& families, double trusted) {
      const double off = std::log(point.ms / families.ms);
      const double left = off - point.effect.log_factor;
      sum += trusted * off;
      squares += trusted * left * left + families.deviation * families.deviation;
      trust += trusted;
      times += 1;
    }
  };

  std::vector<ClassDevice> devices_;
  FamilyMatrix prior_;                         // Of how costs differ.
  std::map<std::string, size_t> places_ = {};  // Of networks in the class.
  DeviceClass class_ = {};
  double effects_variance_ = kStartSigma * kStartSigma;  // Of networks' factors.
  std::vector<FamilyCosts> estimates_ = {};              // Of each device.
  std::vector<Misses> misses_ = {};                      // Of each network.
};

// Files of one network differ by what is around it: a softmax, a quantizer.
constexpr double kSameProducts = 0.005;
constexpr double kSameRest = 0.1;

// 0 for the same, 1 for as different as a network's files may be.
double difference(const FamilyWork& a, const FamilyWork& b) {
  double most = 0;
  for (size_t i = 0; i < kFamilyCount; ++i) {
    const double larger = std::max(a[i], b[i]);
    if (larger == 0) continue;
    const double same = i < family_index("pass") ? kSameProducts : kSameRest;
    most = std::max(most, std::abs(a[i] - b[i]) / (same * larger));
  }
  return most;
}

double products_of(const FamilyWork& work) {
  double total = 0;
  for (size_t i = 0; i < family_index("pass"); ++i) total += work[i];
  return total;
}

// Of all products, by family. Products with constants are one: rows make them matmul or linear.
FamilyWork product_shares(const FamilyWork& work) {
  const double total = products_of(work);
  FamilyWork shares = {};
  for (size_t i = 0; i < family_index("pass"); ++i) shares[i] = total > 0 ? work[i] / total : 0;
  shares[family_index("matmul")] += std::exchange(shares[family_index("linear")], 0);
  return shares;
}

bool same_layers(const FamilyWork& a, const FamilyWork& b) {
  constexpr double kSameShare = 0.05;
  const auto alike = [&](std::string_view family, double same) {
    const size_t i = family_index(family);
    return std::abs(a[i] - b[i]) <= same * std::max(a[i], b[i]);
  };
  if (products_of(a) == 0 || products_of(b) == 0 || a[family_index("weights")] == 0) return false;
  if (!alike("weights", kSameProducts) || !alike("step", kSameRest)) return false;
  const FamilyWork shares = minus(product_shares(a), product_shares(b));
  return std::ranges::all_of(shares, [](double off) { return std::abs(off) <= kSameShare; });
}

double log_resized(const ClassNetwork& network, const FamilyWork& work) {
  return std::log(products_of(network.work) / products_of(work));
}

// The next smaller and the next larger that have the same layers.
struct Neighbours {
  const ClassNetwork* smaller = nullptr;
  const ClassNetwork* larger = nullptr;
};

Neighbours neighbours_of(const DeviceClass& of, const FamilyWork& work) {
  Neighbours found;
  const auto nearer = [&](const ClassNetwork& network, const ClassNetwork* other) {
    return other == nullptr ||
           std::abs(log_resized(network, work)) < std::abs(log_resized(*other, work));
  };
  for (const ClassNetwork& network : of.networks) {
    if (!same_layers(network.work, work)) continue;
    const ClassNetwork*& side = log_resized(network, work) < 0 ? found.smaller : found.larger;
    if (nearer(network, side)) side = &network;
  }
  return found;
}

// What is a network's own at a size tells less of it at another: nothing at many times that.
NetworkEffect less_sure(NetworkEffect effect, double log_factor, double unknown_sigma) {
  const double kept = std::exp(-std::abs(log_factor));
  const double known = effect.sigma * effect.sigma, unknown = unknown_sigma * unknown_sigma;
  effect.sigma = std::sqrt(std::max(known, kept * known + (1 - kept) * unknown));
  return effect;
}

}  // namespace

std::string_view name_of(Runtime runtime) {
  return kRuntimes[runtime == Runtime::Eager ? 1 : 0];
}

Runtime runtime_named(std::string_view name) {
  return name == name_of(Runtime::Eager) ? Runtime::Eager : Runtime::Compiled;
}

FamilyCosts costs_of(const DeviceClass& of, const ClassMember& member) {
  FamilyCosts costs = of.costs;
  const FamilyWork shift = shift_of(of, member);
  for (size_t i = 0; i < kFamilyCount; ++i) costs.log_ns[i] += shift[i];
  const double beyond = std::abs(std::log(beyond_peaks(of, member.gops)));
  const double unsure = kBeyondPeaks * std::max(0.0, beyond - std::log(kSamePeaks));
  FamilyWork ones = {};
  ones.fill(1);
  add_square(costs.covariance, ones, unsure * unsure);
  return costs;
}

double beyond_peaks(const DeviceClass& of, double gops) {
  if (!of.peaks) return 1;
  if (gops > of.peaks->most_gops) return gops / of.peaks->most_gops;
  return std::min(1.0, gops / of.peaks->least_gops);
}

bool is_same_network(const FamilyWork& a, const FamilyWork& b) {
  return difference(a, b) <= 1;
}

const ClassNetwork* find_network(const DeviceClass& of, const FamilyWork& work) {
  const ClassNetwork* nearest = nullptr;
  double least = 1;
  for (const ClassNetwork& network : of.networks) {
    const double off = difference(network.work, work);
    if (off > least) continue;
    least = off;
    nearest = &network;
  }
  return nearest;
}

const ClassNetwork* find_resized_network(const DeviceClass& of, const FamilyWork& work) {
  const auto [smaller, larger] = neighbours_of(of, work);
  if (smaller == nullptr || larger == nullptr) return smaller == nullptr ? larger : smaller;
  return -log_resized(*smaller, work) < log_resized(*larger, work) ? smaller : larger;
}

NetworkEffect effect_of(const DeviceClass& of, const FamilyWork& work) {
  if (const ClassNetwork* network = find_network(of, work)) return network->effect;
  const ClassNetwork* nearest = find_resized_network(of, work);
  if (nearest == nullptr) return {.sigma = of.sigma};
  NetworkEffect effect = less_sure(nearest->effect, log_resized(*nearest, work), of.sigma);
  const auto [smaller, larger] = neighbours_of(of, work);
  if (smaller == nullptr || larger == nullptr) return effect;
  const double down = -log_resized(*smaller, work), up = log_resized(*larger, work);
  effect.log_factor =
      (up * smaller->effect.log_factor + down * larger->effect.log_factor) / (up + down);
  return effect;
}

DeviceClass learn_class(std::span<const ClassDevice> devices, const CostPrior& prior) {
  return ClassLearner(devices, prior).learn();
}

DeviceClass learn_class(std::span<const ClassDevice> devices) {
  return learn_class(devices, chosen_prior(devices));
}

std::string own_class_text(const DeviceClass& of) {
  if (of.path.empty()) return "";
  return str("class ", of.name, " is your own, of ", of.path,
             of.is_in_front ? ", in place of the built-in one" : "");
}

std::string few_devices_text(const DeviceClass& of) {
  const ClassEvidence& evidence = of.evidence;
  if (evidence.devices >= kFewDevices) return "";
  return str("class ", of.name, " was learned from ", evidence.devices,
             evidence.devices == 1 ? " device" : " devices", " and ", evidence.rows,
             evidence.rows == 1 ? " time" : " times",
             ": how far the next one differs is little known");
}

}  // namespace hone
