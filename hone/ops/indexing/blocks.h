// Gathering and scattering by lists of places, to which every operator of this folder comes down.
#pragma once

#include <cstdint>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

// An index that may count from the back, as one below `extent`.
inline Result<int64_t> resolve_index(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent) {
    return bad_input("index ", index, " is outside an axis of extent ", extent);
  }
  return index < 0 ? index + extent : index;
}

// Fills y with blocks of `block` elements of x, the i-th from offsets[i] on.
void gather_blocks(const Tensor& x, const std::vector<int64_t>& offsets, int64_t block, Tensor& y);

// Where along `axis` of x positions lie: one offset per outer index and position, for blocks of all
// that is behind the axis. Requires positions inside the axis.
std::vector<int64_t> axis_offsets(const Shape& shape, size_t axis,
                                  const std::vector<int64_t>& positions);

}  // namespace hone
