#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/winograd/winograd_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/winograd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void winograd_input_f32(const WinogradShape& s, size_t first, size_t last, const float* x,
                        float* v) {
  if (s.m == 2) return WinogradTiles<HwyF32, 2>::input(s, first, last, x, v);
  WinogradTiles<HwyF32, 4>::input(s, first, last, x, v);
}

void winograd_output_f32(const WinogradShape& s, size_t first, size_t last, const float* products,
                         const WinogradFinish<float>& finish, float* y) {
  if (s.m == 2) return WinogradTiles<HwyF32, 2>::output(s, first, last, products, finish, y);
  WinogradTiles<HwyF32, 4>::output(s, first, last, products, finish, y);
}

void winograd_input_f16(const WinogradShape& s, size_t first, size_t last, const Half* x,
                        float* v) {
  if (s.m == 2) return WinogradTiles<HwyF16, 2>::input(s, first, last, x, v);
  WinogradTiles<HwyF16, 4>::input(s, first, last, x, v);
}

void winograd_output_f16(const WinogradShape& s, size_t first, size_t last, const float* products,
                         const WinogradFinish<Half>& finish, Half* y) {
  if (s.m == 2) return WinogradTiles<HwyF16, 2>::output(s, first, last, products, finish, y);
  WinogradTiles<HwyF16, 4>::output(s, first, last, products, finish, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(winograd_input_f32);
HWY_EXPORT(winograd_output_f32);
HWY_EXPORT(winograd_input_f16);
HWY_EXPORT(winograd_output_f16);

void winograd_input_f32_hwy(const WinogradShape& s, size_t first, size_t last, const float* x,
                            float* v) {
  HWY_DYNAMIC_DISPATCH(winograd_input_f32)(s, first, last, x, v);
}

void winograd_output_f32_hwy(const WinogradShape& s, size_t first, size_t last,
                             const float* products, const WinogradFinish<float>& finish, float* y) {
  HWY_DYNAMIC_DISPATCH(winograd_output_f32)(s, first, last, products, finish, y);
}

void winograd_input_f16_hwy(const WinogradShape& s, size_t first, size_t last, const Half* x,
                            float* v) {
  HWY_DYNAMIC_DISPATCH(winograd_input_f16)(s, first, last, x, v);
}

void winograd_output_f16_hwy(const WinogradShape& s, size_t first, size_t last,
                             const float* products, const WinogradFinish<Half>& finish, Half* y) {
  HWY_DYNAMIC_DISPATCH(winograd_output_f16)(s, first, last, products, finish, y);
}

}  // namespace hone
#endif  // HWY_ONCE
