// What an accelerator's counters say: how much its engines did, what they waited for, and what went
// over the border of the chip.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/profile/profile.h"

namespace hone {

// True for profiles that count the cycles of engines, as those of simulated NPUs do.
bool has_engines(const Profile& profile);

struct EngineStall {
  std::string cause;  // "weights late".
  double part = 0;    // Of the time, 0 to 1.
};

// Of a run, a step, or several steps together. Parts are of their time, 0 to 1.
struct EngineUse {
  double cycles = 0;
  double matrix = 0;  // Busy.
  double vector = 0;
  double dma = 0;  // Mean of the channels.
  double host = 0;
  double macs = 0;                       // Of those that the array could have done in that time.
  double off_chip_bytes = 0;             // Read and written, all memories.
  std::vector<EngineStall> stalls = {};  // The longest first; without those that are 0.
};

EngineUse engine_use(const sim::EngineCounters& counters);
EngineUse engine_use(const Profile& profile, std::span<const size_t> steps);

// "input late 43 %", or "" where nothing was waited for.
std::string longest_wait(const EngineUse& use);

// Everything that was counted, one number after the other, for tables: counters, then those of
// engines as "matrix_busy" in %, "DRAM_read" in B, ...
std::vector<Metric> all_counters(const Profile& profile);
std::vector<Metric> all_counters(const Profile& profile, const StepProfile& step);

}  // namespace hone
