// Operators with weights (conv, conv_transpose, gemm) on quantized types, as TFLite's reference
// kernels compute them. Inputs: x, weights w, an optional bias b.
//
//   integer  x, w and y quantized: sums of (x - zero point) * (w - zero point) + b in 32 bits, or
//   in
//            64 when the bias has 64, then scaled to y by one factor per output channel
//   hybrid   x and y float, w quantized: x is quantized per sample first, and the sums scaled back
#pragma once

#include <cstdint>
#include <vector>

#include "hone/ops/quant/integer.h"

namespace hone {

// Element types to list for x, w and b beside the plain ones.
inline constexpr DTypeSet kIntegerWeights{DType::I4, DType::I8, DType::U8};
inline constexpr DTypeSet kIntegerBias{DType::I32, DType::I64};

// For infer: the inputs are all of one type in `plain`, or fit one of the schemes above. Weights
// are quantized by one scale or one for each index of their axis `channels`.
Status check_weighted(const InferContext& in, DTypeSet plain, int channels);

inline bool is_integer(const EvalContext& in) {
  return in.in(0).type().quantized();
}
inline bool is_hybrid(const EvalContext& in) {
  return !is_integer(in) && in.in(1).type().quantized();
}
inline bool has_wide_bias(const EvalContext& in) {
  return in.has(2) && in.in(2).dtype() == DType::I64;
}

// The elements less their zero points, in unsigned integers whose sums wrap as the kernels' do.
// Wide is uint32_t or uint64_t.
template <class Wide>
std::vector<Wide> less_zero_points(const Tensor& tensor);
// The elements of an integer bias.
template <class Wide>
std::vector<Wide> bias_of(const Tensor& tensor);

// Where the channel of an output element follows from its offset: (offset / stride) % count.
struct Channels {
  int64_t count;
  int64_t stride;
};

// How a kernel multiplies the scales of x and w when there is one of each: its result differs by
// one unit in the last place of the multiplier.
enum class ScaleProduct { Double, Float };

// What multiplies the sums of each output channel: scale of x * scale of w / scale of y.
std::vector<FixedPoint> output_factors(const TensorType& x, const TensorType& w,
                                       const TensorType& y, int64_t channels, ScaleProduct product);
// The uint8 kernels are older than the others and still multiply the scales as floats.
inline ScaleProduct scale_product(DType x) {
  return x == DType::U8 ? ScaleProduct::Float : ScaleProduct::Double;
}

// Scales sums to the output. Unsupported activations are refused.
template <class Wide>
Status store_sums(EvalContext& in, const std::vector<Wide>& sums, Channels channels,
                  ScaleProduct product);

// Of a hybrid operator's activations: -127 to 127 around zero, or all of int8 for what is there.
enum class HybridRange { Symmetric, Asymmetric };
// A row of them becomes round(zero_point + x * inverse) within [low, 127]; NaN becomes 0.
struct HybridRow {
  float scale = 1;
  int32_t zero_point = 0;
  float inverse = 1;  // Of the scale.
  float low = -128;
};
// From the least and the largest of the row's elements and 0.
HybridRow hybrid_row(float min, float max, HybridRange range);

// Activations of a hybrid operator, quantized row by row and less their zero points.
struct HybridRows {
  std::vector<uint32_t> values;
  std::vector<float> scales;  // One per row.
};
HybridRows quantize_rows(const Tensor& x, int64_t rows, HybridRange range);
// y = sum * row scale * weight scale + bias, then the activation.
void store_hybrid(EvalContext& in, const std::vector<uint32_t>& sums, const HybridRows& rows,
                  Channels channels);

// The floats that quantized weights stand for.
Tensor expanded_weights(const Tensor& stored);
// Evaluates a hybrid operator with its weights expanded to float.
Status eval_expanded(EvalContext& in, Status (*eval_float)(EvalContext&));

}  // namespace hone
