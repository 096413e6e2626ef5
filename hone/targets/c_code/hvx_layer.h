// Layers with weights as the kernels of HVX take them: sources/hvx_product.c, sources/hvx_depthwise.c.
#pragma once

#include <optional>

#include "hone/targets/c_code/weighted_layer.h"

namespace hone::c_code {

// Nothing where those kernels do not do: groups of channels, windows of more rows than they keep, sums that
// are not scaled down to half or less.
std::optional<Step> hvx_step(const Weighted& layer);

}  // namespace hone::c_code
