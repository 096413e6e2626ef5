// Convolutions with one input and one output channel per group, over nhwc images.
#pragma once

#include <memory>

#include "hone/kernels/activation.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

// In float or half precision; `bias` may be null.
std::unique_ptr<Step> make_depthwise_step(const ConvGeometry& conv, const Tensor& weights,
                                          const Tensor* bias, const Activation& activation,
                                          const Value* x, const Value* y, StepBuilder& builder);

// Of quantized values.
std::unique_ptr<Step> make_depthwise_i8_step(const ConvGeometry& conv, const Tensor& weights,
                                             const Tensor* bias,
                                             const std::vector<FixedPoint>& factors, IntRange range,
                                             const Value* x, const Value* y, StepBuilder& builder);

}  // namespace hone::cpu
