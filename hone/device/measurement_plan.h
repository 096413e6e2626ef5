// Which networks to measure on a device next, and what would be known then.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct PlannedMeasurement {
  std::string network = {};  // "zoo:resnet50".
  double ms = 0;             // Predicted.
  double half_width = 0;     // Typical of the class's networks after it, upwards: 0.3 for +30 %.
};

struct MeasurementPlan {
  std::string device = {};
  std::string of_class = {};
  std::string precision = {};
  int points = 0;         // That are known.
  double half_width = 0;  // With those.
  std::vector<PlannedMeasurement> measurements = {};
};

}  // namespace hone
