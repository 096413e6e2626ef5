// What a person should take from a fitted device when reading one sentence of it.
#pragma once

#include <string>

#include "hone/device/fitted_device.h"

namespace hone {

// How far a figure of the device is from what was measured, as a factor either way, less 1; of a fit
// to all other points where there is one.
double distance_of(const FittedPoint& point);

// Whether the measured time lies where a prediction of this precision says it is expected.
bool is_held(const FittedDevice& fit, const FittedPoint& point);

// "3 of 4 measured points lie where the fitted board expects them; times were off by a factor of
// 1.55 at most before the fit, by 1.09 now; other networks are expected within a factor of 1.12 either way".
std::string fit_verdict(const FittedDevice& fit);

}  // namespace hone
