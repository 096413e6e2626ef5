// The roofs of this machine, as `hone calibrate` left them.
#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/device/device_file.h"

namespace hone {

// $XDG_CACHE_HOME/hone/device/host.toml, or the same below ~/.cache. Resource when neither variable
// names a folder.
Result<std::filesystem::path> host_device_path();

// What is cached there, if it is of this machine: the same CPU, and all the threads it has now.
// Otherwise an error that says to run `hone calibrate`.
Result<DeviceFile> load_host_device();

}  // namespace hone
