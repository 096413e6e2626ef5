#include "hone/kernels/hwy_targets.h"

#include "hone/kernels/binary/binary-inl.h"
#include "hone/kernels/neon_vectors.h"

namespace hone {
namespace {

BinaryOperand<float16_t> native(const BinaryOperand<Half>& x) {
  return {reinterpret_cast<const float16_t*>(x.data), x.row_stride, x.col_stride};
}

}  // namespace

void binary_f16_neon_fp16(const BinaryArgs<Half>& p) {
  HWY_NAMESPACE::binary<NeonF16>({p.op, p.rows, p.cols, native(p.a), native(p.b),
                                  reinterpret_cast<float16_t*>(p.y), p.low, p.high, p.y_stride});
}

}  // namespace hone
