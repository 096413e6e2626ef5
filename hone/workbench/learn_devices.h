// Learns a class of devices from a table of measured times: what `hone learn` does.
#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/device/device_class.h"

namespace hone {

// Rows of a CSV file with the columns device,group,threads,gops,model,shapes,latency_ms. A model is
// zoo:NAME or a file beside the table; `shapes` ("input:1x3x300x300") may be empty. Every network
// is opened once, and priced as such a device would run it.
Result<std::vector<ClassDevice>> read_class_devices(const std::filesystem::path& table,
                                                    Runtime runtime = Runtime::Compiled);

// Costs and intervals, with the errors of cross-validation; without a name.
DeviceClass learn_devices(const std::vector<ClassDevice>& devices);

}  // namespace hone
