#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hone/ops/context.h"

namespace hone {

// What a node gives for every byte of its first input, indexed by the byte as it is. Nothing when
// it is not a function of one quantized byte: other inputs must be constants of one element, or the
// table of `lookup`.
std::optional<std::array<uint8_t, 256>> byte_table(const Node& node, const EvalOptions& options);

}  // namespace hone
