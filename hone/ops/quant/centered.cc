#include "hone/ops/quant/centered.h"

#include "hone/ops/common.h"

namespace hone {

std::vector<uint32_t> centered(const Tensor& x, const Tensor* zero_points, const Shape& shape) {
  const std::vector<int64_t> values = to_ints(x);
  std::vector<uint32_t> result(values.size());
  if (zero_points == nullptr) {
    for (size_t i = 0; i < values.size(); ++i) result[i] = static_cast<uint32_t>(values[i]);
    return result;
  }
  const std::vector<int64_t> zeros = to_ints(*zero_points);
  if (zeros.size() == 1) {
    for (size_t i = 0; i < values.size(); ++i) {
      result[i] = static_cast<uint32_t>(values[i] - zeros[0]);
    }
    return result;
  }
  size_t i = 0;
  for (IndexWalk walk(x.shape(), {broadcast_strides(shape, x.shape())}); !walk.done();
       walk.next(), ++i) {
    result[i] = static_cast<uint32_t>(values[i] - zeros[static_cast<size_t>(walk.offset(0))]);
  }
  return result;
}

}  // namespace hone
