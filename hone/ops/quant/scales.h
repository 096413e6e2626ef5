// Which scale an element of a quantized tensor has: one for the tensor, one per index along an
// axis, or one per block of `block_size` indices along it.
#pragma once

#include "hone/ops/common.h"

namespace hone {

struct ScaleMap {
  AxisSplit split;          // Of the quantized tensor around the axis.
  int64_t block = 0;        // Indices per scale along the axis; 0: one scale for all.
  bool whole_axis = false;  // Scales have the axis alone, not the tensor's other axes.

  // The scale of element [outer][i][inner].
  int64_t at(int64_t outer, int64_t i, int64_t inner) const {
    if (block == 0) return 0;
    if (whole_axis) return i;
    return (outer * ((split.n + block - 1) / block) + i / block) * split.inner + inner;
  }
};

// From the attributes axis and block_size. BadInput when `scale` does not fit; both are known.
Result<ScaleMap> scale_map(const NodeContext& node, const Shape& x, const Shape& scale);

// Holds scale and zero point (inputs 1 and 2) to input 0, as far as shapes are known. Scales that
// are constants must be finite numbers above 0.
Status check_scales(const InferContext& in);

// Calls fn(element, scale index) for each element of x in order.
template <class Fn>
void for_each_scaled(const ScaleMap& map, Fn&& fn) {
  int64_t element = 0;
  for (int64_t outer = 0; outer < map.split.outer; ++outer) {
    for (int64_t i = 0; i < map.split.n; ++i) {
      for (int64_t inner = 0; inner < map.split.inner; ++inner) {
        fn(static_cast<size_t>(element++), static_cast<size_t>(map.at(outer, i, inner)));
      }
    }
  }
}

}  // namespace hone
