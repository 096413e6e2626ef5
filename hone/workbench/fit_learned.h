#pragma once

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"

namespace hone {

// A device that belongs to classes, with what was measured on it: the costs move from those of the
// class as far as the points ask for and no further, so that one point helps and none harms.
Result<FittedDevice> fit_learned_device(const Device& start, const std::vector<FitPoint>& points,
                                        const std::string& date);

}  // namespace hone
