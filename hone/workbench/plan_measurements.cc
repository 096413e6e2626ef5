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

std::vector<ClassNetwork> unmeasured_networks(const ClassMembership& membership,
                                              const DeviceClass& of) {
  std::vector<ClassNetwork> networks;
  for (const ClassNetwork& network : of.networks) {
    if (!was_measured(membership, of, network)) networks.push_back(network);
  }
  return networks;
}

// Of an interval for a network that the class knows.
double half_width(const DeviceClass& of, int points, double deviation) {
  return std::expm1(log_width(interval_rule(of, points, HeldOut::Devices), deviation));
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
  const std::vector<ClassNetwork> networks = unmeasured_networks(*spec->membership, *learned.of);
  if (networks.empty()) {
    return unsupported("all networks of class ", learned.of->name, " were measured on ",
                       device.name);
  }
  MeasurementPlan plan{.device = device.name,
                       .of_class = learned.of->name,
                       .precision = learned.precision,
                       .points = learned.points};
  plan.half_width =
      half_width(*learned.of, plan.points, typical_deviation(learned.costs, networks));
  for (const PlannedPoint& point : plan_points(learned.costs, networks, count)) {
    const ClassNetwork& network = networks[point.network];
    const int points = plan.points + static_cast<int>(plan.measurements.size()) + 1;
    plan.measurements.push_back(
        {.network = network.name,
         .ms = predict_costs(learned.costs, network.work, network.effect).ms,
         .half_width = half_width(*learned.of, points, point.deviation)});
  }
  return plan;
}

}  // namespace hone
