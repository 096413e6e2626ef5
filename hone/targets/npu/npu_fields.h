#pragma once

#include "hone/device/device_io.h"
#include "hone/device/npu_spec.h"

namespace hone {

void fields(DeviceIo& io, NpuSpec& npu);

}  // namespace hone
