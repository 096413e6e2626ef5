#pragma once

#include "hone/profile/energy.h"
#include "hone/targets/target.h"

namespace hone {

// Millijoules of one run, from the meters: the program runs over and over for `seconds`, after one
// run that does not count. Requires meters.any().
Result<Metric> measured_energy(EnergyMeters& meters, const Program& program,
                               const std::vector<Item>& inputs, double seconds);

}  // namespace hone
