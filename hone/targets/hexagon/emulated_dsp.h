#pragma once

#include "hone/device/device.h"
#include "hone/targets/hexagon/dsp_run.h"

namespace hone::hexagon {

// The program of the DSP with what was counted when it ran.
std::unique_ptr<Program> make_emulated_dsp(std::shared_ptr<const Program> predicted,
                                           std::shared_ptr<const c_code::Plan> plan, DspRun run,
                                           const Device& device);

}  // namespace hone::hexagon
