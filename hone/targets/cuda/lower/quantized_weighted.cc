// Convolutions and fully connected layers of quantized values that nothing follows in place.

#include "hone/targets/cuda/weighted_i8.h"

namespace hone::cuda {
namespace {

std::optional<Step> lower_weighted_i8(const Node& node, StepBuilder& builder) {
  const auto weighted = weighted_i8(node, builder);
  if (!weighted) return std::nullopt;
  return weighted_i8_step(*weighted, no_tail(node.outputs[0]), builder);
}

}  // namespace

extern const LoweringDef lower_conv_i8 = {.op = "conv", .lower = lower_weighted_i8};
extern const LoweringDef lower_gemm_i8 = {.op = "gemm", .lower = lower_weighted_i8};

}  // namespace hone::cuda
