// The program of the DSP as it was planned, and what it takes.
#pragma once

#include "hone/device/device.h"
#include "hone/targets/hexagon/dsp_run.h"

namespace hone::hexagon {

// By what was counted when it ran.
std::unique_ptr<Program> make_emulated_dsp(std::shared_ptr<const Program> predicted,
                                           std::shared_ptr<const c_code::Plan> plan, DspRun run,
                                           const Device& device);

// By the packets that layers of its kind take. Null where the device has no [dsp].
std::unique_ptr<Program> make_estimated_dsp(std::shared_ptr<const Program> predicted,
                                            std::shared_ptr<const c_code::Plan> plan,
                                            const Device& device);

}  // namespace hone::hexagon
