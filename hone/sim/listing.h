#pragma once

#include <string>

#include "hone/sim/simulate.h"

namespace hone::sim {

// A stream for people, a line per command: number, engine, start and end, what it does with which
// bytes, what it waits for. `step_names` are those of the steps.
std::string listing(const NpuSpec& npu, const CommandStream& stream, const Simulation& simulation,
                    const std::vector<std::string>& step_names);

}  // namespace hone::sim
