#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/convert/convert_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/convert/convert-inl.h"
#include "hone/kernels/hwy_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void convert_f32_f16(size_t n, const float* x, Half* y) {
  convert<HwyF32, HwyF16>(n, x, y);
}

void convert_f16_f32(size_t n, const Half* x, float* y) {
  convert<HwyF16, HwyF32>(n, x, y);
}

void convert_f32_bf16(size_t n, const float* x, BFloat16* y) {
  convert<HwyF32, HwyBF16>(n, x, y);
}

void convert_bf16_f32(size_t n, const BFloat16* x, float* y) {
  convert<HwyBF16, HwyF32>(n, x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(convert_f32_f16);
HWY_EXPORT(convert_f16_f32);
HWY_EXPORT(convert_f32_bf16);
HWY_EXPORT(convert_bf16_f32);

void convert_f32_f16_hwy(size_t n, const float* x, Half* y) {
  HWY_DYNAMIC_DISPATCH(convert_f32_f16)(n, x, y);
}

void convert_f16_f32_hwy(size_t n, const Half* x, float* y) {
  HWY_DYNAMIC_DISPATCH(convert_f16_f32)(n, x, y);
}

void convert_f32_bf16_hwy(size_t n, const float* x, BFloat16* y) {
  HWY_DYNAMIC_DISPATCH(convert_f32_bf16)(n, x, y);
}

void convert_bf16_f32_hwy(size_t n, const BFloat16* x, float* y) {
  HWY_DYNAMIC_DISPATCH(convert_bf16_f32)(n, x, y);
}

}  // namespace hone
#endif  // HWY_ONCE
