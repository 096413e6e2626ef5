#pragma once

#include <memory>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

// A step that runs the operator's reference: for nodes that no kernel takes. It allocates.
std::unique_ptr<Step> make_ref_step(const Node& node, StepBuilder& builder);

}  // namespace hone::cpu
