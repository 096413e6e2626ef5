#pragma once

#include <array>
#include <optional>

#include "hone/tensor/tensor_type.h"

namespace hone::cpu {

// Two operands broadcast to one result, seen as [outer][rows][cols] with neighbouring axes that
// broadcast alike joined. Strides are in elements; 0 where an operand repeats.
struct BroadcastView {
  struct Strides {
    size_t outer, row, col;
  };
  size_t outer = 1;
  size_t rows = 1;
  size_t cols = 1;
  std::array<Strides, 2> of;
};

// Nothing when it takes more than three axes to say it.
std::optional<BroadcastView> broadcast_view(const Shape& a, const Shape& b, const Shape& y);

}  // namespace hone::cpu
