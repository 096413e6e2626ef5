// What the blocks of a program come to that ran so often.
#pragma once

#include <vector>

#include "hone/targets/cortex_m/core.h"
#include "hone/targets/cortex_m/disassembly.h"
#include "hone/targets/emulation/counts.h"

namespace hone::cortex_m {

struct FunctionCost {
  uint64_t instructions = 0;
  double issue = 0;     // Cycles in the pipeline,
  double branches = 0;  // of branches that were not expected,
  double flash = 0;     // and waiting for flash.

  double cycles() const { return issue + branches + flash; }
};

// Of every function, with what it calls. `line_cycles` is what a line of flash takes.
std::vector<FunctionCost> costs_of(const emulation::Execution& execution,
                                   const Disassembly& program, const Core& core,
                                   double line_cycles);

}  // namespace hone::cortex_m
