#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/activate/activate_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/activate/activate-inl.h"
#include "hone/kernels/hwy_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void activate_f32(const Activation& activation, size_t rows, size_t cols, const float* x,
                  size_t x_stride, float* y, size_t y_stride) {
  activate<HwyF32, HwyF32>(activation, rows, cols, x, x_stride, y, y_stride);
}

void activate_f16(const Activation& activation, size_t rows, size_t cols, const Half* x,
                  size_t x_stride, Half* y, size_t y_stride) {
  activate<HwyF16, HwyF16>(activation, rows, cols, x, x_stride, y, y_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(activate_f32);
HWY_EXPORT(activate_f16);

void activate_f32_hwy(const Activation& activation, size_t rows, size_t cols, const float* x,
                      size_t x_stride, float* y, size_t y_stride) {
  HWY_DYNAMIC_DISPATCH(activate_f32)(activation, rows, cols, x, x_stride, y, y_stride);
}

void activate_f16_hwy(const Activation& activation, size_t rows, size_t cols, const Half* x,
                      size_t x_stride, Half* y, size_t y_stride) {
  HWY_DYNAMIC_DISPATCH(activate_f16)(activation, rows, cols, x, x_stride, y, y_stride);
}

}  // namespace hone
#endif  // HWY_ONCE
