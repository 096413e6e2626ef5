// A gate (squeeze and excite) scales every channel of an image before a 1x1 convolution. Scaling
// the rows of its weights instead gives the same product, x * (g * w) for (x * g) * w, and the image
// is neither read nor written once more.
#pragma once

#include <optional>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

struct GatedInput {
  const Value* x;
  const Value* gate;  // One factor for each channel, in [0, 1].
};

// What a convolution reads in the place of a product of an image and its gate; nothing where it
// reads none, or where scaling the weights would take longer than scaling the image.
std::optional<GatedInput> gated_input(const Node& conv, const StepBuilder& builder);

// Whether all that read the result of a product take its operands instead.
bool is_gated_input(const Node& mul, const StepBuilder& builder);

}  // namespace hone::cpu
