#pragma once

#include <memory>
#include <optional>

#include "hone/kernels/activation.h"
#include "hone/ops/conv/geometry.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

// The size of Winograd's tiles when that form is the faster one for a convolution of floats; nothing
// when the direct one is, or the convolution has another kernel or stride.
std::optional<size_t> winograd_tile(const ConvGeometry& conv);

// `bias` and `residual` may be null.
std::unique_ptr<Step> make_winograd_step(size_t tile, const ConvGeometry& conv,
                                         const Tensor& weights, const Tensor* bias,
                                         const Activation& activation, const Value* x,
                                         const Value* residual, const Value* y,
                                         StepBuilder& builder);

}  // namespace hone::cpu
