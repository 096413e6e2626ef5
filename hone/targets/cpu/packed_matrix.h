#pragma once

#include <algorithm>
#include <limits>

#include "hone/base/aligned.h"
#include "hone/targets/cpu/product_kernels.h"

namespace hone::cpu {

// A constant matrix w of [n][k] with a bias, packed, for steps that multiply rows of their own
// making with it.
class PackedMatrix {
 public:
  PackedMatrix(const float* w, const float* bias, size_t n, size_t k)
      : product_({.columns = n, .taps = 1, .depth = k}), panels_(product_.panels_bytes()) {
    product_.pack({.data = w, .n = n, .k = k, .column_stride = k, .depth_stride = 1, .bias = bias},
                  panels_.data());
  }

  StepKind kind() const { return product_.kind(); }
  size_t bytes() const { return panels_.bytes(); }

  struct Rows {
    const float* data;
    size_t stride;
    size_t count;
  };
  // c[r] = w a[r] + bias, and with `add` what c[r] held before; rows of c are `c_stride` apart.
  void multiply(const Rows& a, float* c, size_t c_stride, bool add) const {
    constexpr size_t kBlock = 48;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float* rows[kBlock];
    for (size_t first = 0; first < a.count; first += kBlock) {
      const size_t count = std::min(kBlock, a.count - first);
      for (size_t i = 0; i < count; ++i) rows[i] = a.data + (first + i) * a.stride;
      float* to = c + first * c_stride;
      const GemmRows<float> block{.rows = count,
                                  .a = rows,
                                  .c = to,
                                  .c_stride = c_stride,
                                  .residual = add ? to : nullptr,
                                  .residual_stride = c_stride};
      product_.run(panels_.data(), {.low = -kInfinity, .high = kInfinity}, block, 0,
                   product_.panels(), nullptr);
    }
  }

 private:
  PlainProduct<float> product_;
  AlignedArray<std::byte> panels_;
};

}  // namespace hone::cpu
