#pragma once

#include "hone/targets/npu/emit/emission.h"

namespace hone::npu {

// Stripe by stripe, each through all layers.
void emit_cascade(Emission& emission, const Cascade& cascade);

}  // namespace hone::npu
