// What a layer multiplies its weights with, row by row: the input under the taps of a convolution,
// or a row of a matrix.
#pragma once

#include <span>
#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/quantize/recover/layer.h"

namespace hone {

class Patches {
 public:
  // BadInput when an input of this shape does not fit the layer.
  static Result<Patches> make(const ProductLayer& layer, const Shape& input);

  // Results per channel.
  int64_t rows() const { return rows_; }
  // groups * inputs numbers in the order of ProductLayer::weight_at, zero where a tap lies in the
  // padding.
  void read_inputs(std::span<const float> x, int64_t row, float* to) const;
  // groups * outputs numbers of the layer's result.
  void read_outputs(std::span<const float> y, int64_t row, float* to) const;

 private:
  void read_window(std::span<const float> x, int64_t row, float* to) const;

  ProductLayer layer_;
  bool conv_ = false;
  ConvGeometry geometry_;
  int64_t rows_ = 0;
};

// `wanted` of `count` rows, spread evenly with a random place in each stretch; all when there are
// no more. The same for the same seed.
std::vector<int64_t> spread_rows(int64_t count, int64_t wanted, uint64_t seed);

}  // namespace hone
