// The roofs of an accelerator of this machine, as `hone calibrate -d TARGET` left them.
#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/device/device_file.h"
#include "hone/targets/target.h"

namespace hone {

// Beside the host's: device/nvidia_h200_cuda_13_0.toml, by device and driver. Unsupported when
// the target's roofs cannot be measured, Resource when its device is not here, or there is no
// folder to keep it in.
Result<std::filesystem::path> target_device_path(const TargetDef& target);

// What was left there. Resource when nothing was, or it is of something else.
Result<DeviceFile> load_target_device(const TargetDef& target);

}  // namespace hone
