// Fits a device's model to what was measured on the real thing: what `hone calibrate -d DEVICE
// --points` does. A few parameters with a physical meaning move, as many as the points can tell
// apart; rates that a data sheet states stay.
#pragma once

#include <string>
#include <vector>

#include "hone/device/device.h"
#include "hone/workbench/fit_points.h"

namespace hone {

struct FittedParameter {
  std::string name = {};  // "queue.start_us", "memory bandwidth, factor".
  double before = 0;
  double after = 0;
};

struct FittedPoint {
  FitPoint measured = {};
  double before_ms = 0;
  double after_ms = 0;
  // Of a prediction by a fit to all other points: predicted / measured - 1. None under three
  // points.
  std::optional<double> left_out = {};
  double before_mj = 0;
  double after_mj = 0;
};

struct FittedDevice {
  Device device = {};  // With its CalibrationFit.
  std::vector<FittedParameter> parameters = {};
  std::vector<FittedPoint> points = {};
  std::string interval = {};  // How the half width of the interval came about, one sentence.
};

// Least squares of log(predicted / measured). At most one parameter for every two points, those
// first that move the predictions most. The interval is 2 sigma of the left-out errors from three
// points on, and at least 10 % with fewer. Energies, where there are any, scale the device's energy
// figures by one factor. `date` is kept with the fit.
Result<FittedDevice> fit_device(const Device& start, const std::vector<FitPoint>& points,
                                const std::string& date);

}  // namespace hone
