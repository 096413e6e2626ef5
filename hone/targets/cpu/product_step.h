// Convolutions and matrix products in float or half precision, or in float with bfloat16
// multiplicands. Constant weights are packed once, computed ones in every run.
#pragma once

#include <memory>

#include "hone/kernels/activation.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/window.h"

namespace hone::cpu {

struct ProductSpec {
  WindowRows window;
  size_t groups = 1;
  size_t depth = 0;    // Input channels of a group.
  size_t columns = 0;  // Output channels of a group.
  // weights[n * column_stride + k * depth_stride], n over the output channels of all groups and k
  // over taps and depth.
  const Value* weights = nullptr;
  size_t column_stride = 0;
  size_t depth_stride = 1;
  const Value* bias = nullptr;  // One per output channel; null for none.
  // A factor for every k, with which the weights, floats, are multiplied in every run; null for none.
  const Value* gate = nullptr;
  Activation activation;
};

// Whether float products round their multiplicands to bfloat16: when that was asked for and the CPU
// has instructions for it. Without them it would only lose precision, so products stay in float.
bool multiplies_in_bf16(const CompileOptions& options);

// y = activation(product + bias + residual); `residual` may be null. Weights, bias, x and y are of
// one type, F32 or F16.
std::unique_ptr<Step> make_product_step(ProductSpec spec, const Value* x, const Value* residual,
                                        const Value* y, StepBuilder& builder);

}  // namespace hone::cpu
