// Fits a device's model to what was measured on the real thing: what `hone calibrate -d DEVICE
// --points` does. A few parameters with a physical meaning move, as many as the points can tell
// apart; rates that a data sheet states stay.
#pragma once

#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"

namespace hone {

// Least squares of log(predicted / measured). At most one parameter for every two points, those
// first that move the predictions most. The interval is 2 sigma of the left-out errors from three
// points on, at least 10 % with fewer, and with fewer than nine wider by what the device states
// without any. Of an NPU that was checked against published times fewer than nine points move
// parameters as far as those times' scatter lets them tell, and its interval stays. Energies, where
// there are any, scale the device's energy figures by one factor. `date` is kept with the fit.
Result<FittedDevice> fit_device(const Device& start, const std::vector<FitPoint>& points,
                                const std::string& date);

}  // namespace hone
