// Elements put around a tensor of floats.
#pragma once

#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {

// Whether a kernel takes the pad. It then does the transposes and casts in front of it as well that
// nobody else reads.
bool can_pad(const Node& node, const StepBuilder& builder);

}  // namespace hone::cuda
