#pragma once

#include "hone/device/device_file.h"

namespace hone {

// The roofs of this machine: those `hone calibrate` left, or else measured now, which takes about
// six seconds, and left for the next time. A progress bar shows it; a line on standard error says
// why what was left is not used.
Result<DeviceFile> host_roofs();

}  // namespace hone
