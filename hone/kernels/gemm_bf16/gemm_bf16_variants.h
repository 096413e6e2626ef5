// The functions behind gemm_bf16.cc's table.
#pragma once

#include "hone/kernels/gemm_bf16/gemm_bf16.h"

namespace hone {

// Values of k in a step of Quads.
inline constexpr size_t kGemmBf16Depth = 4;

inline constexpr size_t kGemmBf16RefRows = 2;
inline constexpr size_t kGemmBf16RefColumns = 4;
void gemm_bf16_rows_ref(const float* const* a, size_t rows, size_t taps, size_t depth,
                        BFloat16* out);
void gemm_bf16_ref(const GemmBf16Strip& strip);

#if defined(__aarch64__)
inline constexpr size_t kGemmBf16NeonRows = 6;
inline constexpr size_t kGemmBf16NeonColumns = 16;
void gemm_bf16_rows_neon_bf16(const float* const* a, size_t rows, size_t taps, size_t depth,
                              BFloat16* out);
void gemm_bf16_neon_bf16(const GemmBf16Strip& strip);
#elif defined(__x86_64__)
inline constexpr size_t kGemmBf16X86Columns = 32;
void gemm_bf16_rows_avx512_bf16(const float* const* a, size_t rows, size_t taps, size_t depth,
                                BFloat16* out);
void gemm_bf16_avx512_bf16(const GemmBf16Strip& strip);  // 8 x 32
void gemm_bf16_amx_bf16(const GemmBf16Strip& strip);     // 32 x 32
#endif

}  // namespace hone
