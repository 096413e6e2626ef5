#pragma once

#include <span>
#include <vector>

#include "hone/ops/common.h"

namespace hone {

// Counts through a shape in row-major order, a row at a time, while following any number of
// operands by their strides, which may be zero or negative. Neighbouring axes along which every
// operand moves evenly are merged first, so that rows are as long as they can be.
//   for (RowWalk walk(shape, {strides_a, strides_b}); !walk.done(); walk.next()) {
//     for (int64_t i = 0; i < walk.n(); ++i) use(a[walk.at(0, i)], b[walk.at(1, i)]);
//   }
class RowWalk {
 public:
  RowWalk(std::span<const int64_t> shape, std::vector<std::vector<int64_t>> strides);
  bool done() const { return outer_.done(); }
  void next() { outer_.next(); }
  int64_t n() const { return n_; }
  int64_t offset(size_t which) const { return outer_.offset(which); }
  int64_t step(size_t which) const { return steps_[which]; }
  int64_t at(size_t which, int64_t i) const { return offset(which) + i * step(which); }

 private:
  // A walk over the merged axes; the last of them goes to n_ and steps_.
  IndexWalk split(std::span<const int64_t> shape, std::vector<std::vector<int64_t>> strides);

  int64_t n_ = 1;
  std::vector<int64_t> steps_;
  IndexWalk outer_;
};

}  // namespace hone
