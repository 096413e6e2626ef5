// CPU or accelerator: from which batch on the way to memory of its own pays.
#pragma once

#include <functional>

#include "hone/workbench/compare_devices.h"

namespace hone {

// The model for a batch: so many times what was asked for, in one run.
using BatchedModel = std::function<Result<Model>(int64_t batch)>;

// Compares every device with memory of its own with the first CPU among the devices, for batches of
// 1, 2, 4 and so on, until larger ones would change nothing or take too long; `comparison` is that
// of the model as it was asked for. Nothing is added where there is no CPU or no such device. A
// batch that a device cannot run ends the search.
Status add_break_even(const BatchedModel& model, const CompareRequest& request,
                      DeviceComparison& comparison);

}  // namespace hone
