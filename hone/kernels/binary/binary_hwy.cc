#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/binary/binary_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/binary/binary-inl.h"
#include "hone/kernels/hwy_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void binary_f32(const BinaryArgs<float>& args) {
  binary<HwyF32>(args);
}

void binary_f16(const BinaryArgs<Half>& args) {
  binary<HwyF16>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(binary_f32);
HWY_EXPORT(binary_f16);

void binary_f32_hwy(const BinaryArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(binary_f32)(args);
}

void binary_f16_hwy(const BinaryArgs<Half>& args) {
  HWY_DYNAMIC_DISPATCH(binary_f16)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
