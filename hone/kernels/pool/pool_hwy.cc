#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/pool/pool_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/pool/pool-inl.h"
#include "hone/kernels/pool/pool_i8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void pool_f32(const PoolArgs<float>& args, size_t first, size_t last) {
  pool_floats<HwyF32>(args, first, last);
}

void pool_f16(const PoolArgs<Half>& args, size_t first, size_t last) {
  pool_floats<HwyF16>(args, first, last);
}

void pool_i8(const PoolArgs<int8_t>& args, size_t first, size_t last) {
  pool_bytes(args, first, last);
}

void pool_u8(const PoolArgs<uint8_t>& args, size_t first, size_t last) {
  pool_bytes(args, first, last);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(pool_f32);
HWY_EXPORT(pool_f16);
HWY_EXPORT(pool_i8);
HWY_EXPORT(pool_u8);

void pool_f32_hwy(const PoolArgs<float>& args, size_t first, size_t last) {
  HWY_DYNAMIC_DISPATCH(pool_f32)(args, first, last);
}

void pool_f16_hwy(const PoolArgs<Half>& args, size_t first, size_t last) {
  HWY_DYNAMIC_DISPATCH(pool_f16)(args, first, last);
}

void pool_i8_hwy(const PoolArgs<int8_t>& args, size_t first, size_t last) {
  HWY_DYNAMIC_DISPATCH(pool_i8)(args, first, last);
}

void pool_u8_hwy(const PoolArgs<uint8_t>& args, size_t first, size_t last) {
  HWY_DYNAMIC_DISPATCH(pool_u8)(args, first, last);
}

}  // namespace hone
#endif  // HWY_ONCE
