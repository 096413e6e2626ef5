// Which memory the bytes of a network's layers come from and go to on a DSP, and what is brought when.
//
// VTCM is as its plan has it. What lies elsewhere goes through the cache before main memory, which keeps what was touched
// last: something is there again if what was touched since, it included, is no more than the cache has.
#pragma once

#include <vector>

#include "hone/device/analytic_spec.h"
#include "hone/targets/c_code/plan.h"

namespace hone::hexagon {

// Bytes of a layer, every operand once.
struct LayerTraffic {
  double vtcm = 0;
  double l2 = 0;
  double ddr = 0;  // Also what is fetched from there into VTCM, which it reads as well.
  // Where there is VTCM: of tensors of the network, and of constants, what does not lie there.
  double spilled = 0;
  double away = 0;
};

// What is computed at a time, as vtcm.h has it.
struct DspSlot {
  size_t step = 0;
  double part = 1;      // Of the step's work.
  double fetched = 0;   // Bytes that come while the slot before computes,
  double streamed = 0;  // and those of main memory while this one does.
};

struct DspTraffic {
  std::vector<LayerTraffic> layers = {};
  std::vector<DspSlot> slots = {};
};

// Of a run behind others.
DspTraffic traffic_of(const c_code::Plan& plan, const DspSpec& dsp);

}  // namespace hone::hexagon
