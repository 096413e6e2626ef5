#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/reduce/reduce_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/reduce/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void reduce_f32(const ReduceArgs<float>& args) {
  reduce<HwyF32>(args);
}

void reduce_f16(const ReduceArgs<Half>& args) {
  reduce<HwyF16>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(reduce_f32);
HWY_EXPORT(reduce_f16);

void reduce_f32_hwy(const ReduceArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(reduce_f32)(args);
}

void reduce_f16_hwy(const ReduceArgs<Half>& args) {
  HWY_DYNAMIC_DISPATCH(reduce_f16)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
