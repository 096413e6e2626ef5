#pragma once

#include "hone/profile/calibrate.h"

namespace hone {

// Measures the roofs of this machine and what Hone's kernels reach of them. Arguments as of
// calibrate_host.
Result<DeviceFile> calibrate_machine(int threads, const CalibrationProgress& progress = {},
                                     const CalibrationEffort& effort = {});

// The same without the trouble where it can be saved: those `hone calibrate` left, or else measured
// now, in less than half the time of `hone calibrate`, and left for the next time. A progress bar
// shows it; a line on standard error says why what was left is not used.
Result<DeviceFile> host_roofs();

// Of a target that computes elsewhere than on this CPU: measures the roofs of its device. Resource
// when it is not here, Unsupported when they cannot be measured.
Result<DeviceFile> calibrate_target(const TargetDef& target,
                                    const CalibrationProgress& progress = {});

// What `hone calibrate -d TARGET` left of such a target; nothing where it did not. A file that is
// of another driver, or damaged, is as if it were not there, and a line on standard error says so.
std::optional<DeviceFile> kept_roofs(const TargetDef& target);

}  // namespace hone
