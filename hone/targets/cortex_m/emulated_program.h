// A program whose code ran in an emulator: instructions are counted, cycles follow from them.
#pragma once

#include <memory>

#include "hone/device/device.h"
#include "hone/targets/cortex_m/firmware_run.h"

namespace hone::cortex_m {

// `predicted` is the same network as other programs of the device are told; it computes results.
std::unique_ptr<Program> make_emulated_program(std::shared_ptr<const Program> predicted,
                                               std::shared_ptr<const c_code::Plan> plan,
                                               const FirmwareRun& run, const Device& device);

}  // namespace hone::cortex_m
