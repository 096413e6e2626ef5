#include "hone/ops/indexing/blocks.h"

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/tensor/dispatch.h"

namespace hone {

void gather_blocks(const Tensor& x, const std::vector<int64_t>& offsets, int64_t block, Tensor& y) {
  if (block == 0 || offsets.empty()) return;
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = raw<T>(x);
    T* to = mutable_raw<T>(y);
    for (const int64_t offset : offsets) to = std::copy_n(from + offset, block, to);
  });
}

std::vector<int64_t> axis_offsets(const Shape& shape, size_t axis,
                                  const std::vector<int64_t>& positions) {
  const AxisSplit split = split_at(shape, axis);
  std::vector<int64_t> offsets;
  if (positions.empty() || split.inner == 0) return offsets;
  for (int64_t outer = 0; outer < split.outer; ++outer) {
    for (const int64_t position : positions) {
      offsets.push_back((outer * split.n + position) * split.inner);
    }
  }
  return offsets;
}

}  // namespace hone
