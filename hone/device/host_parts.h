#pragma once

#include <vector>

#include "hone/device/host.h"

namespace hone {

// The sections of a HostReport, one file each.
std::vector<HostPart> find_programs();      // host_programs.cc
std::vector<HostPart> find_gpus();          // host_gpu.cc
std::vector<HostPart> find_measurements();  // host_measurement.cc

}  // namespace hone
