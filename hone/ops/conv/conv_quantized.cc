#include "hone/ops/conv/conv_quantized.h"

#include "hone/ops/conv/convolve.h"
#include "hone/ops/conv/convolve_transposed.h"

namespace hone {
namespace {

Channels channels_of(const ConvGeometry& conv) {
  return {conv.out_channels, conv.nhwc ? 1 : conv.window.out_pixels()};
}

template <class Wide>
std::vector<Wide> sums_of(const ConvGeometry& conv, const Wide* x, const Wide* w,
                          const Wide* bias) {
  std::vector<Wide> sums(static_cast<size_t>(elements(conv.out_shape())));
  if (bias != nullptr) fill_bias(conv, bias, sums.data());
  if (conv.transposed) {
    convolve_transposed(conv, x, w, sums.data());
  } else {
    convolve(conv, x, w, sums.data());
  }
  return sums;
}

template <class Wide>
Status run_integer(EvalContext& in, const ConvGeometry& conv) {
  const std::vector<Wide> x = less_zero_points<Wide>(in.in(0));
  const std::vector<Wide> w = less_zero_points<Wide>(in.in(1));
  std::vector<Wide> bias;
  if (in.has(2)) bias = bias_of<Wide>(in.in(2));
  return store_sums(in, sums_of(conv, x.data(), w.data(), in.has(2) ? bias.data() : nullptr),
                    channels_of(conv), scale_product(in.in(0).dtype()));
}

}  // namespace

Status eval_conv_integer(EvalContext& in, const ConvGeometry& conv) {
  return has_wide_bias(in) ? run_integer<uint64_t>(in, conv) : run_integer<uint32_t>(in, conv);
}

HybridRange hybrid_range(const ConvGeometry& conv, const Quantization& weights) {
  // TFLite's kernels for weights with one scale per channel, which all depthwise ones have, take
  // the whole range of int8; the others a symmetric one.
  const bool depthwise = conv.groups > 1 && conv.groups == conv.in_channels;
  const bool per_channel = depthwise || !weights.per_tensor();
  return per_channel ? HybridRange::Asymmetric : HybridRange::Symmetric;
}

Status eval_conv_hybrid(EvalContext& in, const ConvGeometry& conv) {
  const HybridRows rows =
      quantize_rows(in.in(0), conv.batch, hybrid_range(conv, *in.in(1).type().quant));
  const std::vector<uint32_t> w = less_zero_points<uint32_t>(in.in(1));
  store_hybrid(in, sums_of<uint32_t>(conv, rows.values.data(), w.data(), nullptr), rows,
               channels_of(conv));
  return Done{};
}

}  // namespace hone
