// The first layer of a network that gets its image in planes (nchw): a convolution that reads them
// as they are, in the place of a transpose and a product.
#pragma once

#include <memory>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

// Null where the convolution does not read a transposed image of planes, or has no kernel for them.
std::unique_ptr<Step> make_plane_conv_step(const Node& conv, StepBuilder& builder);

// Whether all that read the result of a transpose take its planes instead.
bool is_read_as_planes(const Node& transpose, const StepBuilder& builder);

}  // namespace hone::cpu
