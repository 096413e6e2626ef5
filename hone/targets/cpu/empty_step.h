// The step of a node whose outputs have no elements: there is nothing to compute.
#pragma once

#include <memory>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

std::unique_ptr<Step> make_empty_step(const Node& node, StepBuilder& builder);

}  // namespace hone::cpu
