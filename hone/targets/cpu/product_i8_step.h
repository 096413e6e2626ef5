// Convolutions and matrix products of quantized values with constant weights.
#pragma once

#include <memory>

#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/window.h"

namespace hone::cpu {

struct ProductI8Spec {
  WindowRows window;
  size_t groups = 1;
  size_t depth = 0;    // Input channels of a group.
  size_t columns = 0;  // Output channels of a group.
  Tensor weights;      // I8 or U8, [columns of all groups][taps * depth].
  std::optional<Tensor> bias;
  std::vector<FixedPoint> factors;  // One per output channel.
  IntRange range;                   // Of the output.
};

// x and y are both I8 or both U8.
std::unique_ptr<Step> make_product_i8_step(ProductI8Spec spec, const Value* x, const Value* y,
                                           StepBuilder& builder);

// The stored values less their zero points; every one fits into 16 bits.
std::vector<int16_t> centered_weights(const Tensor& weights);

}  // namespace hone::cpu
