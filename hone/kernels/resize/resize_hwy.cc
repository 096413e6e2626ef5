#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/resize/resize_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/resize/resize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void resize_bilinear_f32(const ResizeArgs<float>& args, size_t first, size_t last) {
  resize_bilinear<HwyF32>(args, first, last);
}

void resize_bilinear_f16(const ResizeArgs<Half>& args, size_t first, size_t last) {
  resize_bilinear<HwyF16>(args, first, last);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(resize_bilinear_f32);
HWY_EXPORT(resize_bilinear_f16);

void resize_bilinear_f32_hwy(const ResizeArgs<float>& args, size_t first, size_t last) {
  HWY_DYNAMIC_DISPATCH(resize_bilinear_f32)(args, first, last);
}

void resize_bilinear_f16_hwy(const ResizeArgs<Half>& args, size_t first, size_t last) {
  HWY_DYNAMIC_DISPATCH(resize_bilinear_f16)(args, first, last);
}

}  // namespace hone
#endif  // HWY_ONCE
