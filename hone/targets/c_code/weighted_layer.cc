#include "hone/targets/c_code/weighted_layer.h"

#include <limits>

#include "hone/ops/quant/weighted.h"
#include "hone/targets/common/dense_geometry.h"

namespace hone::c_code {
namespace {

Status check_constants(const Node& node) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const Value* weights = node.inputs[1];
  if (!weights->constant) return unsupported("weights that are computed");
  if (weights->constant->dtype() != DType::I8) {
    return unsupported("weights of ", weights->constant->dtype(), ", expected int8");
  }
  const auto& quant = weights->constant->type().quant;
  if (quant && std::ranges::any_of(quant->zero_points, [](int32_t zero) { return zero != 0; })) {
    return unsupported("weights whose zero point is not 0");
  }
  const Value* bias = input_of(node, 2);
  if (bias != nullptr && (!bias->constant || bias->constant->dtype() != DType::I32)) {
    return unsupported("a bias that is no constant of int32");
  }
  if (input_of(node, 3) != nullptr) return unsupported("a residual inside a layer");
  return Done{};
}

Result<ConvGeometry> geometry_of(const Node& node) {
  if (node.op == "gemm") {
    const auto dense = dense_geometry(node);
    if (!dense) return unsupported("a gemm that is no fully connected layer");
    return *dense;
  }
  const NodeContext context(*find_op(node.op), node);
  HONE_TRY(const ConvGeometry conv, conv_geometry(context, node.inputs[0]->type.tensor.shape,
                                                  node.inputs[1]->constant->shape()));
  if (!conv.nhwc || conv.window.rank > 2) {
    return unsupported("an image that is not [batch, height, width, channels]");
  }
  return conv;
}

int32_t centered_bias(const Weighted& layer, int64_t n) {
  const Value* bias = input_of(layer.node, 2);
  const auto channel = static_cast<size_t>(n);
  uint32_t sum =
      bias == nullptr ? 0 : static_cast<uint32_t>(bias->constant->data<int32_t>()[channel]);
  const auto zero = static_cast<uint32_t>(zero_of(layer.node.inputs[0]));
  for (int64_t k = 0; k < layer.depth(); ++k) {
    sum -= zero * static_cast<uint32_t>(layer.weight(n, k));
  }
  return static_cast<int32_t>(sum);
}

// The one result that a channel has, as those that were pruned: scaling keeps the order of sums, as long as 32 bits
// hold what they become.
std::optional<int8_t> only_result(const Weighted& layer, int64_t n, Rounding rounding) {
  const SumRange& sums = layer.sums[static_cast<size_t>(n)];
  const int left = std::max(layer.factors[static_cast<size_t>(n)].shift, 0);
  const int64_t most = std::numeric_limits<int32_t>::max() >> left;
  if (sums.low < -most || sums.high > most) return std::nullopt;
  const int8_t low = result_of(layer, n, static_cast<int32_t>(sums.low), rounding);
  const int8_t high = result_of(layer, n, static_cast<int32_t>(sums.high), rounding);
  return low == high ? std::optional<int8_t>(low) : std::nullopt;
}

// Products leave out channels that have one result.
void choose_channels(Weighted& layer, Rounding rounding) {
  for (int64_t n = 0; n < layer.conv.out_channels; ++n) {
    const auto only = layer.conv.groups == 1 ? only_result(layer, n, rounding) : std::nullopt;
    layer.results.push_back(only.value_or(0));
    if (!only) layer.computed.push_back(n);
  }
  if (layer.computed.empty()) layer.computed.push_back(0);
}

}  // namespace

SumRange sum_range(const Weighted& layer, int64_t n) {
  SumRange range{layer.biases[static_cast<size_t>(n)], layer.biases[static_cast<size_t>(n)]};
  for (int64_t k = 0; k < layer.depth(); ++k) {
    const int64_t w = layer.weight(n, k);
    range.low += std::min(-128 * w, 127 * w);
    range.high += std::max(-128 * w, 127 * w);
  }
  return range;
}

int8_t result_of(const Weighted& layer, int64_t n, int32_t sum, Rounding rounding) {
  const int64_t scaled = scale_by(sum, layer.factors[static_cast<size_t>(n)], rounding);
  return static_cast<int8_t>(layer.range.clamp(scaled + zero_of(layer.node.outputs[0])));
}

Result<Weighted> weighted_layer(const Node& node, const CompileOptions& options) {
  HONE_RETURN_IF_ERROR(check_constants(node));
  HONE_TRY(const ConvGeometry conv, geometry_of(node));
  Weighted layer{.node = node, .conv = conv};
  for (const uint32_t w : less_zero_points<uint32_t>(*node.inputs[1]->constant)) {
    layer.weights.push_back(static_cast<int32_t>(w));
  }
  layer.factors =
      output_factors(node.inputs[0]->type.tensor, node.inputs[1]->constant->type(),
                     node.outputs[0]->type.tensor, conv.out_channels, ScaleProduct::Double);
  HONE_TRY(layer.range, output_range(node));
  for (int64_t n = 0; n < conv.out_channels; ++n) {
    layer.biases.push_back(centered_bias(layer, n));
    layer.sums.push_back(sum_range(layer, n));
  }
  choose_channels(layer, options.eval.rounding);
  return layer;
}

}  // namespace hone::c_code
