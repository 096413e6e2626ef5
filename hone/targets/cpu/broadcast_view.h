#pragma once

#include <array>
#include <vector>

#include "hone/tensor/tensor_type.h"

namespace hone::cpu {

// Two operands broadcast to one result, seen as [outer][rows][cols] with neighbouring axes that
// broadcast alike joined. Strides are in elements; 0 where an operand repeats.
struct BroadcastView {
  struct Strides {
    size_t row, col;
  };
  struct OuterAxis {
    size_t extent;
    std::array<size_t, 2> strides;
  };
  std::vector<OuterAxis> outer_axes = {};  // Innermost last.
  size_t outer = 1;                        // The product of their extents.
  size_t rows = 1;
  size_t cols = 1;
  std::array<Strides, 2> of = {};

  // Where an operand's part of number `index` of the outer axes starts.
  size_t outer_offset(size_t operand, size_t index) const {
    size_t offset = 0;
    for (size_t i = outer_axes.size(); i-- > 0; index /= outer_axes[i].extent) {
      offset += index % outer_axes[i].extent * outer_axes[i].strides[operand];
    }
    return offset;
  }
};

BroadcastView broadcast_view(const Shape& a, const Shape& b, const Shape& y);

}  // namespace hone::cpu
