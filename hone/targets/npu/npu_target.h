// NPUs of the catalog and of users' files: compiled to a command stream that runs on the cycle
// model of hone/sim, results and time from the same commands.
#pragma once

#include <memory>

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone {

// The device's spec is an NpuSpec.
std::unique_ptr<Target> make_npu_target(const Device& device);

// What an NPU computes on integers, within its limits. Equal ones are one object.
const IntegerSupport* npu_integers(const NpuSpec& npu);

}  // namespace hone
