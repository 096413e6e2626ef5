// Element by element: a tree of such operators is one kernel.
#pragma once

#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {

// Whether kernels can compute the node element by element: float arithmetic they have a word for.
bool is_map(const Node& node, const StepBuilder& builder);

// The node and those that are computed where it reads them. Requires is_map of each.
Step map_step(const Node& node, StepBuilder& builder);

}  // namespace hone::cuda
