// What a device costs, by the classes it belongs to and what was measured on it.
#pragma once

#include <string_view>

#include "hone/device/analytic_spec.h"
#include "hone/device/device_class.h"

namespace hone {

struct LearnedCosts {
  const DeviceClass* of = nullptr;  // The class they are from.
  FamilyCosts costs = {};
  int points = 0;  // That were measured on the device itself.
};

// Of steps in the precision; of the one that the device's users run where it has no class for it.
// Requires a membership.
LearnedCosts learned_costs(const AnalyticSpec& spec, std::string_view precision);

FamilyWork work_of(const MeasuredPoint& point);

// That the interval of a network has on either side: those that held for devices that were not seen
// before and, unless the class knows the network, for networks that were not.
double deviations_of(const LearnedCosts& learned, const FamilyWork& network);

}  // namespace hone
