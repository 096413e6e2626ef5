// The roofs of this machine, as `hone calibrate` left them.
#pragma once

#include <filesystem>

#include "hone/base/cpu_share.h"
#include "hone/base/result.h"
#include "hone/device/device_file.h"
#include "hone/device/machine.h"

namespace hone {

// $XDG_CACHE_HOME/hone/device/host.toml, or the same below ~/.cache; host_N.toml for a process that
// may run only N threads at once, host_without_bf16.toml for one that features of the CPU are
// `taken` from. Resource when neither variable names a folder.
Result<std::filesystem::path> host_device_path(const CpuShare& share = cpu_share(),
                                               CpuFeatures taken = cpu_info().taken);

// What is cached there, if it is of this machine: the same CPU, features, threads and set of CPUs.
// Otherwise an error that says why not: `hone calibrate` has to measure again.
Result<DeviceFile> load_host_device(const CpuShare& share = cpu_share(),
                                    CpuFeatures taken = cpu_info().taken);

// Why what was left is not used, in a few words: "is of CPUs 0-1, this process may use 1". "" when
// it is used, or nothing was left.
std::string why_host_device_unused(const CpuShare& share = cpu_share(),
                                   CpuFeatures taken = cpu_info().taken);

}  // namespace hone
