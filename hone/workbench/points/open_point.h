// A measured network as it was measured: at its batch, in its precision.
#pragma once

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"
#include "hone/graph/graph.h"

namespace hone {

// Quantized for the device where the point says int8 and the model has floats. BadInput, which
// names the point's line and column, when the model does not take the batch, and when the device
// cannot be priced in the precision or the model does not compute in it.
Result<Graph> open_point(const FitPoint& point, const Device& device);

}  // namespace hone
