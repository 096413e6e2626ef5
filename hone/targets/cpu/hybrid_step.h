// Layers of float activations and int8 weights, as TFLite computes them: activations are quantized
// in the run, multiplied as integers, and the sums scaled to floats. Same bits as the reference,
// but for activations other than clamps.
#pragma once

#include <memory>

#include "hone/kernels/activation.h"
#include "hone/ops/quant/weighted.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/window.h"

namespace hone::cpu {

// What both kinds of layer have.
struct HybridLayer {
  Tensor weights;              // I8, quantized; output channels first.
  const Tensor* bias;          // F32, one per output channel; null for none.
  HybridRange range;           // Of the activations.
  Activation activation = {};  // After the bias.
};

struct HybridProductSpec {
  HybridLayer layer;
  WindowRows window = {};   // Of one image.
  size_t images = 1;        // They follow one another in x and y.
  bool row_scales = false;  // A scale per row of the product, rather than per image.
  size_t groups = 1;
  size_t depth = 0;    // Input channels of a group.
  size_t columns = 0;  // Output channels of a group.
};

std::unique_ptr<Step> make_hybrid_product_step(HybridProductSpec spec, const Value* x,
                                               const Value* y, StepBuilder& builder);

// Whether the sums of a depthwise convolution fit into the 24 bits that floats hold exactly.
bool has_small_sums(const ConvGeometry& conv, const Tensor& weights);
// A convolution with one input and one output channel per group, and small sums.
std::unique_ptr<Step> make_hybrid_depthwise_step(const HybridLayer& layer, const ConvGeometry& conv,
                                                 const Value* x, const Value* y,
                                                 StepBuilder& builder);

}  // namespace hone::cpu
