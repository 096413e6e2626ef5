#include "hone/kernels/gemm_i8/gemm_i8.h"

#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_variants.h"

namespace hone {
namespace {

template <class A>
std::span<const KernelVariant<GemmI8Kernel<A>>> variants() {
  [[maybe_unused]] constexpr uint8_t kToSigned = std::is_signed_v<A> ? 0 : 0x80;
  [[maybe_unused]] constexpr uint8_t kToUnsigned = std::is_signed_v<A> ? 0x80 : 0;
  // mr, row_step, nr, kr, copies, flip, k_step, copy_rows
  static const KernelVariant<GemmI8Kernel<A>> kVariants[] = {
#if defined(__aarch64__)
    {"neon_i8mm",
     kI8mm,
     {6, 2, 16, 8, 2, 0, 8, nullptr, gemm_i8_neon_i8mm<A, A>, gemm_i8_neon_i8mm<A, int32_t>}},
    {"neon_dot",
     kDotprod,
     {6, 2, 16, 4, 1, kToSigned, 8, nullptr, gemm_i8_neon_dot<A, A>, gemm_i8_neon_dot<A, int32_t>}},
    {"neon",
     kNeon,
     {6, 2, 16, 2, 1, kToSigned, 8, nullptr, gemm_i8_neon<A, A>, gemm_i8_neon<A, int32_t>}},
#elif defined(__x86_64__)
    {"amx_int8",
     kAvx512 | kAvx512Vnni | kAmxTile | kAmxInt8,
     {32, 1, 32, 4, 1, 0, 64, gemm_i8_copy_rows_amx_int8, gemm_i8_amx_int8<A, A>,
      gemm_i8_amx_int8<A, int32_t>}},
    {"avx512_vnni",
     kAvx512 | kAvx512Vnni,
     {12, 4, 32, 4, 1, kToUnsigned, 8, nullptr, gemm_i8_avx512_vnni<A, A>,
      gemm_i8_avx512_vnni<A, int32_t>}},
    {"avx_vnni",
     kAvx2 | kFma | kF16c | kAvxVnni,
     {6, 2, 16, 4, 1, kToUnsigned, 8, nullptr, gemm_i8_avx_vnni<A, A>,
      gemm_i8_avx_vnni<A, int32_t>}},
    {"avx2",
     kAvx2 | kFma | kF16c,
     {6, 2, 16, 2, 1, 0, 8, nullptr, gemm_i8_avx2<A, A>, gemm_i8_avx2<A, int32_t>}},
#endif
    {"ref",
     kNoFeature,
     {1, 1, kGemmI8RefColumns, 1, 1, 0, 8, nullptr, gemm_i8_ref<A, A>, gemm_i8_ref<A, int32_t>}},
  };
  return kVariants;
}

}  // namespace

std::span<const KernelVariant<GemmI8Kernel<int8_t>>> gemm_i8_variants() {
  return variants<int8_t>();
}

std::span<const KernelVariant<GemmI8Kernel<uint8_t>>> gemm_u8_variants() {
  return variants<uint8_t>();
}

template <>
std::span<const KernelVariant<GemmI8Kernel<int8_t>>> gemm_i8_variants_of() {
  return variants<int8_t>();
}

template <>
std::span<const KernelVariant<GemmI8Kernel<uint8_t>>> gemm_i8_variants_of() {
  return variants<uint8_t>();
}

}  // namespace hone
