// When the slots of a run compute, and when they wait for main memory.
//
// What a slot reads of fetched bytes is started when the one before begins to compute. Main memory does one thing after
// another: first what the slot that computes reads there, then what comes for the next.
#pragma once

#include <vector>

#include "hone/targets/hexagon/dsp_traffic.h"

namespace hone::hexagon {

struct LayerTimes {
  double computing = 0;  // Cycles,
  double waits = 0;      // those that it waits for main memory besides,
  double fetching =
      0;  // and those that main memory is busy for it, most of them while others compute.

  double cycles() const { return computing + waits; }
};

// `computing` is by layer.
std::vector<LayerTimes> timeline_of(const std::vector<DspSlot>& slots,
                                    const std::vector<double>& computing, const DspSpec& dsp);

}  // namespace hone::hexagon
