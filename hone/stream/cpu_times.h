// What listening takes on the CPU of this machine: measured, by Hone's own engines.
#pragma once

#include <string>

#include "hone/stream/listener.h"

namespace hone {

struct CpuTimes {
  std::string cpu;     // Which one.
  double push_us = 0;  // Of the gate; medians of n,
  double frame_us = 0;
  double run_us = 0;
  int n = 0;
};

Result<CpuTimes> measure_cpu_times(const StreamRecipe& recipe, const ByteNetwork& network);

}  // namespace hone
