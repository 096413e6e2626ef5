// Attention that kernels take: tokens in half precision, heads side by side, without masks.
#pragma once

#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {

struct AttentionShape {
  int64_t batch;
  int64_t rows;
  int64_t keys;
  int64_t heads;
  int64_t depth;
  float scale;
};

// Nothing for nodes that no kernel takes.
std::optional<AttentionShape> attention_shape(const Node& node, const StepBuilder& builder);

}  // namespace hone::cuda
