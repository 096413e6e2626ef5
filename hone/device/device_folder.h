// Where Hone keeps what it has learnt of devices.
#pragma once

#include <filesystem>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

// $XDG_CACHE_HOME/hone, or the same below ~/.cache. Resource when neither variable names a folder.
Result<std::filesystem::path> cache_folder();

// Of a device whose parameters `hone calibrate --points` has fitted: devices/NAME.toml in there.
Result<std::filesystem::path> device_fit_path(std::string_view name);

// Of classes of devices that `hone learn` has learned: classes in there.
Result<std::filesystem::path> class_folder();

}  // namespace hone
