// What a fit may change of a device.
#pragma once

#include <string_view>
#include <vector>

#include "hone/device/device.h"

namespace hone {

struct FitParameter {
  std::string_view name;
  // Of the device as it is: 1 for a factor. More than 0: the fit moves logarithms.
  double (*value)(const Device& device);
  // Gives `device`, a copy of `start`, another value, and returns it: the nearest that is allowed.
  double (*set)(Device& device, const Device& start, double value);
};

// Those of the device's kind.
const std::vector<FitParameter>& fit_parameters(const Device& device);

// Every figure of energy times `factor`.
void scale_energy(Device& device, double factor);

}  // namespace hone
