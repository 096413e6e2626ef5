#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/add_i8/add_i8_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/add_i8/add_i8-inl.h"
#include "hone/kernels/bytes_hwy-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void add_i8(const AddI8Args<int8_t>& args) {
  add_bytes<HwyBytes, HwyScale>(args);
}

void add_u8(const AddI8Args<uint8_t>& args) {
  add_bytes<HwyBytes, HwyScale>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(add_i8);
HWY_EXPORT(add_u8);

void add_i8_hwy(const AddI8Args<int8_t>& args) {
  HWY_DYNAMIC_DISPATCH(add_i8)(args);
}

void add_u8_hwy(const AddI8Args<uint8_t>& args) {
  HWY_DYNAMIC_DISPATCH(add_u8)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
