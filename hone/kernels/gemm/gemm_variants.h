// The tile functions behind gemm.cc's tables.
#pragma once

#include "hone/kernels/gemm/gemm.h"

namespace hone {

inline constexpr size_t kGemmRefRows = 4;
inline constexpr size_t kGemmRefColumns = 4;
void gemm_f32_ref(const GemmTile<float>& tile);
void gemm_f16_ref(const GemmTile<Half>& tile);

#if defined(__aarch64__)
inline constexpr size_t kGemmNeonRows = 5;
void gemm_f32_neon(const GemmTile<float>& tile);      // 5 x 16
void gemm_f16_neon_fp16(const GemmTile<Half>& tile);  // 5 x 32
#endif

}  // namespace hone
