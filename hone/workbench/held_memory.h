// What a run of a program holds: weights and activations.
#pragma once

#include <cstdint>
#include <optional>

#include "hone/base/metric.h"
#include "hone/targets/target.h"

namespace hone {

struct HeldMemory {
  Metric weights;
  Metric activations;
  bool weights_in_flash = false;  // Else beside the activations.

  // What it takes of the memory that it works in; nothing where that is not known.
  std::optional<uint64_t> working_bytes() const;
};

// As the model of the device has them, where the program is of one: how its results are computed
// here says nothing about it. Else as they were planned; unavailable where the target plans none.
HeldMemory held_memory(const Program& program, const ModelledRun* run);

}  // namespace hone
