// When every command of a stream starts and ends on a machine. Engines take their commands in
// order, memories serve transfers in order, so every time is a maximum of sums of durations: the
// same stream on a machine with more bandwidth never ends later, and two runs are equal to the bit.
#pragma once

#include <vector>

#include "hone/sim/timing.h"

namespace hone::sim {

// Tracks of the timeline: matrix, vector, host, then one per DMA channel.
enum class Engine : uint8_t { Matrix, Vector, Host, Dma };
size_t track_of(const NpuSpec& npu, const Command& command);
std::vector<std::string> track_names(const NpuSpec& npu);

struct CommandTime {
  double start = 0;  // Cycles since the run began.
  double end = 0;
};

struct StepTime : EngineCounters {
  double start = 0;  // When its first cycle was.
};

struct Simulation {
  double cycles = 0;
  std::vector<CommandTime> commands = {};  // As in the stream.
  std::vector<StepTime> steps = {};
  double energy_uj = 0;
};

Simulation simulate(const NpuSpec& npu, const CommandStream& stream);

}  // namespace hone::sim
