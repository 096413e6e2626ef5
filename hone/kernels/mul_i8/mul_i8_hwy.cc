#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/mul_i8/mul_i8_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/bytes_hwy-inl.h"
#include "hone/kernels/mul_i8/mul_i8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void mul_i8(const MulI8Args<int8_t>& args) {
  binary_bytes<MulBytes, HwyBytes, HwyScale>(args);
}

void mul_u8(const MulI8Args<uint8_t>& args) {
  binary_bytes<MulBytes, HwyBytes, HwyScale>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(mul_i8);
HWY_EXPORT(mul_u8);

void mul_i8_hwy(const MulI8Args<int8_t>& args) {
  HWY_DYNAMIC_DISPATCH(mul_i8)(args);
}

void mul_u8_hwy(const MulI8Args<uint8_t>& args) {
  HWY_DYNAMIC_DISPATCH(mul_u8)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
