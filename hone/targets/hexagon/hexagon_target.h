// The Hexagon DSP: networks of integers as C with the instructions of HVX, built by clang and run packet by packet
// in an emulator.
#pragma once

#include <memory>

#include "hone/device/device.h"
#include "hone/targets/target.h"

namespace hone {

std::unique_ptr<Target> make_hexagon_target(const Device& device);

}  // namespace hone
