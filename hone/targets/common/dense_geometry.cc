#include "hone/targets/common/dense_geometry.h"

#include "hone/ops/op_def.h"

namespace hone {

std::optional<ConvGeometry> dense_geometry(const Node& gemm) {
  const NodeContext context(*find_op(gemm.op), gemm);
  const Tensor& weights = *gemm.inputs[1]->constant;
  const bool plain = context.real("alpha") == 1 && context.real("beta") == 1 &&
                     context.integer("transA") == 0 && context.integer("transB") != 0;
  if (!plain || weights.rank() != 2 || weights.elements() == 0) return std::nullopt;
  ConvGeometry conv;
  conv.out_channels = weights.shape()[0];
  conv.in_channels = weights.shape()[1];
  conv.batch = gemm.inputs[0]->type.tensor.elements() / conv.in_channels;
  conv.nhwc = true;
  conv.window.rank = 2;
  return conv;
}

}  // namespace hone
