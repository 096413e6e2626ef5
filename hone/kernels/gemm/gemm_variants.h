// The tile functions behind gemm.cc's tables.
#pragma once

#include "hone/kernels/gemm/gemm.h"

namespace hone {

inline constexpr size_t kGemmRefRows = 4;
inline constexpr size_t kGemmRefColumns = 4;
void gemm_f32_ref(const GemmTile<float>& tile);
void gemm_f16_ref(const GemmTile<Half>& tile);

#if defined(__aarch64__)
inline constexpr size_t kGemmNeonRows = 6;
void gemm_f32_neon(const GemmTile<float>& tile);      // 6 x 16
void gemm_f16_neon_fp16(const GemmTile<Half>& tile);  // 6 x 32
#elif defined(__x86_64__)
inline constexpr size_t kGemmAvx2Rows = 6;
inline constexpr size_t kGemmAvx512Rows = 7;
inline constexpr size_t kGemmF16Rows = 14;
void gemm_f32_avx2(const GemmTile<float>& tile);  // 6 x 16
void gemm_f32_avx2_pairs(const GemmTile<float>& tile);
void gemm_f32_avx512(const GemmTile<float>& tile);  // 7 x 64
void gemm_f32_avx512_pairs(const GemmTile<float>& tile);
void gemm_f16_avx2(const GemmTile<Half>& tile);         // 6 x 16, sums in float
void gemm_f16_avx512(const GemmTile<Half>& tile);       // 14 x 32, sums in float
void gemm_f16_avx512_fp16(const GemmTile<Half>& tile);  // 7 x 128
#endif

}  // namespace hone
