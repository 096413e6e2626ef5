// What rules about NPUs share: the device's figures, waits in microseconds, and what was left to
// the host.
#pragma once

#include <optional>
#include <vector>

#include "hone/analyze/rule_def.h"
#include "hone/targets/devices.h"

namespace hone {

// The device that the profile is of: a device's name or file is the name of its target. Nothing
// when it is no NPU, or its file is gone.
std::optional<Device> npu_of(const Evidence& in);

// How long step `s` waited for that.
double wait_us(const Evidence& in, size_t s, sim::Stall cause);
// How long an engine computed for it.
double busy_us(const Evidence& in, size_t s, double sim::EngineBusy::*engine);
// What it moved over the border of the chip, in both directions.
double off_chip_bytes(const Evidence& in, size_t s);

// Neighbours that the host runs; views are among the nodes, but have no steps.
struct HostIsland {
  std::vector<const Node*> nodes = {};
  std::vector<size_t> steps = {};
  std::vector<const HostPlacement*> placements = {};  // As the nodes.
  double host_us = 0;                                 // Computing on the host.
  // Saved of the border if the island were not there. What comes from outside, or is a result, is
  // moved in any case; only handing over to the host is not.
  double border_us = 0;
  bool all(bool (*wanted)(const Node& node)) const;
};
std::vector<HostIsland> host_islands(const Evidence& in, const NpuSpec& npu);

// The least time that engines would take: every MAC of the array in use, or every lane of the
// vector engine.
double least_npu_us(const NpuSpec& npu, const Node& node);
double least_npu_us(const NpuSpec& npu, const HostIsland& island);

bool only_reformats(const Node& node);              // Moves elements, or changes their type.
bool is_function_island(const HostIsland& island);  // A table of 256 could hold it.

// Why the node that takes the host longest is there, and how many other reasons there are.
std::string reasons_of(const Evidence& in, const HostIsland& island);
// The nearest changes that would bring the nodes back, once each.
std::string changes_of(const HostIsland& island);
// How to make one of them; quantizing the model, where that is one, changes most.
Hint hint_of(const HostIsland& island);

}  // namespace hone
