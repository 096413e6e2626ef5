#pragma once

#include "hone/device/device_file.h"

namespace hone {

// The roofs of this machine: those `hone calibrate` left, or else measured now, which takes about
// six seconds, and left for the next time. A progress bar shows it.
Result<DeviceFile> host_roofs();

}  // namespace hone
