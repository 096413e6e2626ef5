// What a device costs, by the classes it belongs to and what was measured on it.
#pragma once

#include <string_view>

#include "hone/device/analytic_spec.h"
#include "hone/device/own_points.h"

namespace hone {

// A point of the device, and how it agrees with its class and the other points.
struct OwnPoint {
  size_t place = 0;  // In ClassMembership::points.
  FamilyWork work = {};
  LeftOutPoint left_out = {};
};

// What points in another precision tell of a device that has none in this one.
struct SharedLevel {
  std::string precision = {};  // Empty where there are none.
  double factor = 1;           // On all costs.
};

struct LearnedCosts {
  const DeviceClass* of = nullptr;  // The class they are from.
  std::string precision = {};       // That they are of.
  double gops = 0;                  // The peak that they go by.
  FamilyCosts costs = {};
  int points = 0;                  // That were measured on the device itself.
  std::vector<OwnPoint> own = {};  // Those.
  double widening = 1;             // Of intervals in logarithms: as far as they disagree.
  SharedLevel shared = {};
  std::vector<FamilyWork> known = {};  // Networks that were measured, on it or on others.
};

// Whether this is int8 and the device's file has neither a class nor a rate for it: integers take what
// fp32 does then. Requires a membership.
bool runs_integers_as_fp32(const AnalyticSpec& spec, std::string_view precision);

// Of steps in the precision; where the device has no class for it, guessed by the peaks from the one
// that its users run, or from fp32 where integers run as that.
// Requires a membership.
LearnedCosts learned_costs(const AnalyticSpec& spec, std::string_view precision);

// That floats are priced in when nothing else is asked for: what the device's users run or, where they
// run integers, what floats are in a file.
std::string_view float_precision(const ClassMembership& membership);

// Of the devices it belongs to by the precision that its users run. Requires a membership.
Runtime runtime_of(const AnalyticSpec& spec);

FamilyWork work_of(const MeasuredPoint& point);

// The longest time that the costs tell: beyond the longest of known networks by as much as these
// are apart.
double longest_told_ms(const LearnedCosts& learned);

// Of a network's interval on either side: as its class has it, times the widening.
double log_width_of(const LearnedCosts& learned, const FamilyWork& network, double deviation);

}  // namespace hone
