// How long the threads of a DSP compute a layer that is cut into parts.
//
// Parts go to threads in turn, those of vectors to as many as can have vectors at a time. A layer has ended when the
// thread with most of it has, which all of them were woken for, once for every piece of its constants.
#pragma once

#include <vector>

#include "hone/device/analytic_spec.h"
#include "hone/targets/hexagon/dsp_run.h"

namespace hone::hexagon {

struct ThreadShares {
  size_t parts = 1;
  size_t threads = 1;  // That have one.
  double busy = 0;     // Cycles of all of them,
  double slowest = 0;  // and of the one with most.
  double waking = 0;   // Until they have begun and are waited for.

  double computing() const { return slowest + waking; }
  // What the slowest has, of what each would have if all had the same.
  double imbalance() const { return busy > 0 ? slowest * static_cast<double>(threads) / busy : 1; }
};

// By layer.
std::vector<ThreadShares> thread_shares(const c_code::Plan& plan, const DspRun& run);

}  // namespace hone::hexagon
