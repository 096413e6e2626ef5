#pragma once

#include "hone/profile/calibrate.h"

namespace hone {

// Measures the roofs of this machine and what Hone's kernels reach of them. `threads` and
// `progress` as for calibrate_host.
Result<DeviceFile> calibrate_machine(int threads, const CalibrationProgress& progress = {});

// The same without the trouble where it can be saved: those `hone calibrate` left, or else measured
// now, which takes about ten seconds, and left for the next time. A progress bar shows it; a line
// on standard error says why what was left is not used.
Result<DeviceFile> host_roofs();

}  // namespace hone
