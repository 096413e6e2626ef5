// How the points that were measured on a device agree with its class and with one another.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/device/device_class.h"

namespace hone {

// A point as the class and the device's other points predict it.
struct LeftOutPoint {
  double expected_ms = 0;
  double log_off = 0;        // Of measured / expected.
  double deviations = 0;     // How many of those that the class expects it is off by.
  bool is_odd = false;       // So far off that it may be a mistake.
  bool is_left_out = false;  // And the others agree: costs are not learned from it.
};

// In the order of the points, whose effects are set.
std::vector<LeftOutPoint> leave_out_points(const DeviceClass& of, const ClassMember& member,
                                           std::span<const MeasuredWork> points);

// What the intervals of the device are to be times as wide as its class says, in logarithms: by the
// ratio of the observed squares to the expected ones. At least 1; a single point has no others that
// it could be compared with.
double widening_of(std::span<const LeftOutPoint> points);

// "1000 times less than expected (58.4 ms); seconds instead of milliseconds?"
std::string odd_text(const LeftOutPoint& point);

}  // namespace hone
