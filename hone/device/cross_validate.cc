// How far a class of devices is off for devices and networks that it was not learned from.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "hone/device/device_class.h"
#include "hone/device/plan_points.h"

namespace hone {
namespace {

constexpr size_t kDeviceFolds = 8;
constexpr size_t kNetworkFolds = 5;
constexpr int kDraws = 8;  // Of points, for each device.
// What is assumed of how devices differ before any is seen stands for so many.
constexpr int kPriorSquares = 3;
// Nine of ten are expected within so many deviations then: classes have 1.5 to 2.7 by themselves.
constexpr double kPriorDeviations = 1.8;

struct Miss {
  std::string device = {};
  double log_error = 0;
  double deviation = 0;
};

using Names = std::set<std::string>;

// Without the size of its input: the same network at another size or batch tells much of it.
std::string layers_name(const std::string& network) {
  return network.substr(0, network.find(','));
}

std::vector<Names> folds_of(const Names& names, size_t count) {
  std::vector<Names> folds(std::min(count, names.size()));
  size_t i = 0;
  for (const std::string& name : names) folds[i++ % folds.size()].insert(name);
  return folds;
}

// Points of networks that are, or are not, among `names`, whatever the size of their inputs.
ClassDevice with_networks(const ClassDevice& device, const Names& names, bool among) {
  ClassDevice kept{device.name, device.member};
  for (size_t p = 0; p < device.points.size(); ++p) {
    if (names.contains(layers_name(device.networks[p])) != among) continue;
    kept.points.push_back(device.points[p]);
    kept.networks.push_back(device.networks[p]);
  }
  return kept;
}

class CrossValidation {
 public:
  CrossValidation(std::span<const ClassDevice> devices, std::span<const int> points)
      : devices_(devices), counts_(points), drawn_(points.size()), planned_(points.size()) {}

  void run(HeldOut held_out) {
    Names devices, networks;
    for (const ClassDevice& device : devices_) {
      devices.insert(device.name);
      for (const std::string& network : device.networks) networks.insert(layers_name(network));
    }
    std::vector<Names> network_folds = {{}};
    if (held_out == HeldOut::DevicesAndNetworks) network_folds = folds_of(networks, kNetworkFolds);
    for (const Names& out : folds_of(devices, kDeviceFolds)) {
      for (const Names& networks_out : network_folds) fold(out, networks_out);
    }
  }

  // For each number of points.
  const std::vector<std::vector<Miss>>& drawn() const { return drawn_; }
  const std::vector<std::vector<Miss>>& planned() const { return planned_; }

 private:
  void fold(const Names& devices, const Names& networks) {
    std::vector<ClassDevice> others;
    for (const ClassDevice& device : devices_) {
      if (devices.contains(device.name)) continue;
      ClassDevice known = with_networks(device, networks, false);
      if (!known.points.empty()) others.push_back(std::move(known));
    }
    if (others.empty()) return;
    DeviceClass learned = learn_class(others);
    // What is far beyond the others is to be held by the same rule: it widens the intervals of all.
    learned.peaks.reset();
    for (const ClassDevice& device : devices_) {
      if (devices.contains(device.name)) predict(learned, device, networks);
    }
  }

  void predict(const DeviceClass& learned, const ClassDevice& device, const Names& networks) {
    const FamilyCosts costs = costs_of(learned, device.member);
    ClassDevice known = with_networks(device, networks, false);
    for (MeasuredWork& point : known.points) point.effect = effect_of(learned, point.work);
    ClassDevice asked = networks.empty() ? known : with_networks(device, networks, true);
    for (MeasuredWork& point : asked.points) point.effect = effect_of(learned, point.work);
    for (size_t k = 0; k < counts_.size(); ++k) {
      const auto count = static_cast<size_t>(counts_[k]);
      if (count > known.points.size()) continue;
      const int draws = count == 0 ? 1 : kDraws;
      for (int draw = 0; draw < draws; ++draw) {
        predict_rest(costs, known, draw_points(known.points.size(), count), asked, drawn_[k]);
      }
      if (count == 0) continue;
      predict_rest(costs, known, planned_points(costs, known, count), asked, planned_[k]);
    }
  }

  static std::vector<size_t> planned_points(const FamilyCosts& costs, const ClassDevice& known,
                                            size_t count) {
    std::vector<ClassNetwork> networks;
    for (const MeasuredWork& point : known.points) {
      networks.push_back({.work = point.work, .effect = point.effect});
    }
    std::vector<size_t> places;
    for (const PlannedPoint& point : plan_points(costs, networks, count)) {
      places.push_back(point.network);
    }
    return places;
  }

  std::vector<size_t> draw_points(size_t of, size_t count) {
    std::vector<size_t> all(of);
    for (size_t i = 0; i < of; ++i) all[i] = i;
    for (size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random_() % (of - i)]);
    all.resize(count);
    return all;
  }

  static void predict_rest(const FamilyCosts& costs, const ClassDevice& known,
                           const std::vector<size_t>& taken, const ClassDevice& asked,
                           std::vector<Miss>& misses) {
    std::vector<MeasuredWork> points;
    Names given;
    for (const size_t p : taken) {
      points.push_back(known.points[p]);
      given.insert(known.networks[p]);
    }
    const FamilyCosts better = learn_from(costs, points);
    for (size_t p = 0; p < asked.points.size(); ++p) {
      if (given.contains(asked.networks[p])) continue;
      const MeasuredWork& point = asked.points[p];
      const CostPrediction prediction = predict_costs(better, point.work, point.effect);
      misses.push_back({asked.name, std::log(prediction.ms / point.ms), prediction.deviation});
    }
  }

  std::span<const ClassDevice> devices_;
  std::span<const int> counts_;
  std::vector<std::vector<Miss>> drawn_;
  std::vector<std::vector<Miss>> planned_;
  std::minstd_rand random_{1};
};

double quantile_of(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double at = part * static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(std::lround(at))];
}

// Times that agree by chance are no sign that all will.
constexpr double kLeastFloor = 0.005;

struct Weighed {
  double value = 0;
  double weight = 0;
};

double weighed_quantile(std::vector<Weighed> values, double part) {
  std::ranges::sort(values, {}, &Weighed::value);
  double total = 0, seen = 0;
  for (const Weighed& each : values) total += each.weight;
  for (const Weighed& each : values) {
    seen += each.weight;
    if (seen >= part * total * (1 - 1e-9)) return each.value;
  }
  return values.back().value;
}

// How wide the intervals must be for nine of ten to hold, of all rows and where each device counts
// alike: what a device is off by as a whole is in all its rows. The fewer devices there are, the less
// they tell of that, and the more counts what is usual. Points of its own tell what the next device is
// off by; without any it may be further off than those that were seen, as Student has it.
IntervalRule rule_that_holds(const std::vector<Miss>& misses, int devices, int points) {
  constexpr double kHeld = 0.9;
  std::vector<double> errors;
  std::map<std::string, double> rows;
  for (const Miss& miss : misses) {
    errors.push_back(std::abs(miss.log_error));
    rows[miss.device] += 1;
  }
  IntervalRule rule{.floor = std::max(kLeastFloor, quantile_of(errors, 0.5))};
  std::vector<Weighed> by_row, by_device;
  for (const Miss& miss : misses) {
    const double ratio = std::abs(miss.log_error) / std::hypot(miss.deviation, rule.floor);
    by_row.push_back({ratio, 1});
    by_device.push_back({ratio, 1 / rows[miss.device]});
  }
  const double holds =
      std::max(weighed_quantile(by_row, kHeld), weighed_quantile(by_device, kHeld));
  const double usual = kPriorSquares * kPriorDeviations * kPriorDeviations;
  rule.deviations = std::sqrt((devices * holds * holds + usual) / (devices + kPriorSquares));
  if (points == 0) rule.deviations *= nine_of_ten_of(devices + kPriorSquares) / kNineOfTen;
  return rule;
}

ClassAccuracy accuracy_of(const std::vector<Miss>& misses, int devices, int points) {
  const IntervalRule rule = rule_that_holds(misses, devices, points);
  std::vector<double> errors, widths;
  double held = 0;
  for (const Miss& miss : misses) {
    errors.push_back(std::abs(std::expm1(miss.log_error)));
    widths.push_back(std::expm1(log_width(rule, miss.deviation)));
    if (std::abs(miss.log_error) <= log_width(rule, miss.deviation)) held += 1;
  }
  return {.points = points,
          .predictions = static_cast<int64_t>(misses.size()),
          .median_error = quantile_of(errors, 0.5),
          .p90_error = quantile_of(errors, 0.9),
          .held = held / static_cast<double>(misses.size()),
          .half_width = quantile_of(widths, 0.5),
          .rule = rule};
}

}  // namespace

std::string_view name_of(HeldOut held_out) {
  return held_out == HeldOut::Devices ? "device" : "device and network";
}

std::vector<ClassAccuracy> cross_validate(std::span<const ClassDevice> devices,
                                          std::span<const int> points, HeldOut held_out) {
  CrossValidation validation(devices, points);
  validation.run(held_out);
  Names names;
  for (const ClassDevice& device : devices) names.insert(device.name);
  std::vector<ClassAccuracy> found;
  const auto add = [&](size_t k, bool planned, const std::vector<Miss>& misses) {
    if (misses.empty()) return;
    found.push_back(accuracy_of(misses, static_cast<int>(names.size()), points[k]));
    found.back().held_out = held_out;
    found.back().planned = planned;
  };
  for (size_t k = 0; k < points.size(); ++k) {
    add(k, false, validation.drawn()[k]);
    add(k, true, validation.planned()[k]);
  }
  return found;
}

double log_width(const IntervalRule& rule, double deviation) {
  return rule.deviations * std::hypot(deviation, rule.floor);
}

double nine_of_ten_of(int squares) {
  constexpr double kStudent[] = {6.314, 2.920, 2.353, 2.132, 2.015,
                                 1.943, 1.895, 1.860, 1.833, 1.812};
  const auto count = static_cast<size_t>(std::max(1, squares));
  if (count <= std::size(kStudent)) return kStudent[count - 1];
  const double z = kNineOfTen;
  return z + (z * z * z + z) / (4 * static_cast<double>(count));
}

IntervalRule interval_rule(const DeviceClass& of, int points, HeldOut held_out) {
  IntervalRule rule{.deviations = nine_of_ten_of(of.evidence.devices + kPriorSquares)};
  for (const ClassAccuracy& accuracy : of.accuracy) {
    if (accuracy.held_out != held_out || accuracy.planned || accuracy.points > points) continue;
    rule = accuracy.rule;
  }
  return rule;
}

double class_log_width(const DeviceClass& of, int points, const FamilyWork& network,
                       double deviation) {
  const bool known = find_network(of, network) != nullptr;
  const HeldOut held_out = known ? HeldOut::Devices : HeldOut::DevicesAndNetworks;
  return log_width(interval_rule(of, points, held_out), deviation);
}

}  // namespace hone
