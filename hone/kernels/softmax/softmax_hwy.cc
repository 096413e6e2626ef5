#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/softmax/softmax_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/softmax/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void softmax_f32(size_t rows, size_t cols, const float* x, float* y) {
  softmax<HwyF32>(rows, cols, x, y);
}

void softmax_f16(size_t rows, size_t cols, const Half* x, Half* y) {
  softmax<HwyF16>(rows, cols, x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_f16);

void softmax_f32_hwy(size_t rows, size_t cols, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(softmax_f32)(rows, cols, x, y);
}

void softmax_f16_hwy(size_t rows, size_t cols, const Half* x, Half* y) {
  HWY_DYNAMIC_DISPATCH(softmax_f16)(rows, cols, x, y);
}

}  // namespace hone
#endif  // HWY_ONCE
