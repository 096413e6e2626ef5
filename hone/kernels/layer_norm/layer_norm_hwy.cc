#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/layer_norm/layer_norm_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/layer_norm/layer_norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void layer_norm_f32(const LayerNormArgs<float>& args) {
  layer_norm<HwyF32>(args);
}

void layer_norm_f16(const LayerNormArgs<Half>& args) {
  layer_norm<HwyF16>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(layer_norm_f32);
HWY_EXPORT(layer_norm_f16);

void layer_norm_f32_hwy(const LayerNormArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(layer_norm_f32)(args);
}

void layer_norm_f16_hwy(const LayerNormArgs<Half>& args) {
  HWY_DYNAMIC_DISPATCH(layer_norm_f16)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
