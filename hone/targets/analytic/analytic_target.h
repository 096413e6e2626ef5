#pragma once

#include <memory>

#include "hone/device/device.h"
#include "hone/targets/analytic/predict.h"
#include "hone/targets/target.h"

namespace hone {

// A processor that is not here: the time of a run is predicted from its peak rates, its results are
// computed by target cpu. Requires device.analytic().
std::unique_ptr<Target> make_analytic_target(const Device& device);

// Those of target cpu where the device has a rate for them, otherwise none.
const IntegerSupport* analytic_integers(const Device& device);

// What each step of a program asks of any such processor. `precision` is that of its floats.
std::vector<AnalyticStep> analytic_work(const std::vector<StepInfo>& steps, Precision precision);

}  // namespace hone
