// What a resize node asks for, axis by axis.
#pragma once

#include <vector>

#include "hone/ops/context.h"
#include "hone/ops/vision/resize_table.h"

namespace hone {

struct ResizePlan {
  ResizeMode mode;
  std::vector<ResizeAxis> axes;  // One per axis of x.

  Shape shape() const {
    Shape extents;
    for (const ResizeAxis& axis : axes) extents.push_back(axis.out);
    return extents;
  }
};

// The inputs that say how large the output is: null or empty where left out.
struct ResizeSizes {
  const Tensor* roi;
  const Tensor* scales;
  const Tensor* sizes;
};
bool is_given(const Tensor* tensor);

Result<ResizeMode> resize_mode(const NodeContext& node);
// For an input of extents `x`. BadInput when the node asks for what cannot be.
Result<ResizePlan> resize_plan(const NodeContext& node, const Shape& x, const ResizeSizes& given);

}  // namespace hone
