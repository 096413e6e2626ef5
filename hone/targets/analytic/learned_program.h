#pragma once

#include <memory>

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone {

// Unsupported where no device's model tells of floats in `precision`; the message says what runs them.
Status check_has_figures(const Device& device, Precision precision);

// A network on a device that is not here: its time by the costs of the device's classes, its
// results from `computes`, the same network on this CPU. Requires a device with a membership.
Result<std::unique_ptr<Program>> make_learned_program(std::unique_ptr<Program> computes,
                                                      Graph graph, const Device& device,
                                                      const CompileOptions& options);

}  // namespace hone
