#include "hone/workbench/plan_measurements.h"

#include <algorithm>
#include <cmath>

#include "hone/device/plan_points.h"
#include "hone/targets/analytic/learned_costs.h"

namespace hone {
namespace {

bool was_measured(const ClassMembership& membership, const DeviceClass& of,
                  const ClassNetwork& network) {
  return std::ranges::any_of(membership.points, [&](const MeasuredPoint& point) {
    if (point.precision != of.precision) return false;
    const ClassNetwork* found = find_network(of, work_of(point));
    return found != nullptr && found->name == network.name;
  });
}

// By its weights alone: what activations take, a class does not say.
bool has_room(const AnalyticSpec& spec, const LearnedCosts& learned, const ClassNetwork& network) {
  const double bytes_each = learned.precision == "int8" ? 1 : learned.precision == "fp16" ? 2 : 4;
  const int64_t room = spec.flash ? spec.flash->bytes : spec.memory_bytes;
  return bytes_each * network.work[family_index("weights")] < static_cast<double>(room);
}

bool is_quick(const LearnedCosts& learned, const ClassNetwork& network) {
  constexpr double kLongestMs = 5000;
  return predict_costs(learned.costs, network.work, network.effect).ms < kLongestMs;
}

std::vector<ClassNetwork> networks_to_measure(const AnalyticSpec& spec,
                                              const LearnedCosts& learned) {
  std::vector<ClassNetwork> networks;
  for (const ClassNetwork& network : learned.of->networks) {
    if (was_measured(*spec.membership, *learned.of, network)) continue;
    if (has_room(spec, learned, network) && is_quick(learned, network)) networks.push_back(network);
  }
  return networks;
}

// Of an interval for a network that the class knows.
double half_width(const LearnedCosts& learned, int points, double deviation) {
  const IntervalRule rule = interval_rule(*learned.of, points, HeldOut::Devices);
  return std::expm1(learned.widening * log_width(rule, deviation));
}

double typical_deviation(const FamilyCosts& costs, const std::vector<ClassNetwork>& networks) {
  double squares = 0;
  for (const ClassNetwork& network : networks) {
    squares += std::pow(predict_costs(costs, network.work, network.effect).deviation, 2);
  }
  return std::sqrt(squares / static_cast<double>(networks.size()));
}

}  // namespace

Result<MeasurementPlan> plan_measurements(const Device& device, size_t count) {
  const AnalyticSpec* spec = device.analytic();
  if (spec == nullptr || !spec->membership) {
    return unsupported(device.name,
                       " belongs to no class of devices, so that any of the networks "
                       "it is to run tells as much as another: measure those");
  }
  const LearnedCosts learned = learned_costs(*spec, spec->membership->runs);
  const std::vector<ClassNetwork> networks = networks_to_measure(*spec, learned);
  if (networks.empty()) {
    return unsupported("all networks of class ", learned.of->name, " that ", device.name,
                       " has room for and runs within seconds were measured on it");
  }
  MeasurementPlan plan{.device = device.name,
                       .of_class = learned.of->name,
                       .precision = learned.precision,
                       .points = learned.points};
  plan.half_width = half_width(learned, plan.points, typical_deviation(learned.costs, networks));
  for (const PlannedPoint& point : plan_points(learned.costs, networks, count)) {
    const ClassNetwork& network = networks[point.network];
    const int points = plan.points + static_cast<int>(plan.measurements.size()) + 1;
    plan.measurements.push_back(
        {.network = network.name,
         .ms = predict_costs(learned.costs, network.work, network.effect).ms,
         .half_width = half_width(learned, points, point.deviation)});
  }
  return plan;
}

}  // namespace hone
