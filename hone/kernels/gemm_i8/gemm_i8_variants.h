// The functions behind gemm_i8.cc's tables.
#pragma once

#include "hone/kernels/gemm_i8/gemm_i8.h"

namespace hone {

inline constexpr size_t kGemmI8RefColumns = 4;
template <class A, class Y>
void gemm_i8_ref(const GemmI8Strip<A, Y>& strip);

#if defined(__aarch64__)
template <class A, class Y>
void gemm_i8_neon_i8mm(const GemmI8Strip<A, Y>& strip);  // 6 x 16
template <class A, class Y>
void gemm_i8_neon_dot(const GemmI8Strip<A, Y>& strip);  // 6 x 16
template <class A, class Y>
void gemm_i8_neon(const GemmI8Strip<A, Y>& strip);  // 6 x 16
#elif defined(__x86_64__)
template <class A, class Y>
void gemm_i8_amx_int8(const GemmI8Strip<A, Y>& strip);  // 32 x 32
void gemm_i8_copy_rows_amx_int8(const uint8_t* const* taps, const GemmI8PlainRows& shape,
                                uint8_t* out);
template <class A, class Y>
void gemm_i8_avx512_vnni(const GemmI8Strip<A, Y>& strip);  // 12 x 32
template <class A, class Y>
void gemm_i8_avx_vnni(const GemmI8Strip<A, Y>& strip);  // 6 x 16
template <class A, class Y>
void gemm_i8_avx2(const GemmI8Strip<A, Y>& strip);  // 6 x 16
#endif

}  // namespace hone
