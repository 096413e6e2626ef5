// In half precision throughout, but for Gelu.
#include "hone/kernels/hwy_targets.h"

#include "hone/kernels/activate/activate-inl.h"
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/neon_vectors.h"

namespace hone {

void activate_f16_neon_fp16(const Activation& activation, size_t rows, size_t cols, const Half* x,
                            size_t x_stride, Half* y, size_t y_stride) {
  HWY_NAMESPACE::activate<NeonF16, HWY_NAMESPACE::HwyF16>(
      activation, rows, cols, reinterpret_cast<const float16_t*>(x), x_stride,
      reinterpret_cast<float16_t*>(y), y_stride);
}

}  // namespace hone
