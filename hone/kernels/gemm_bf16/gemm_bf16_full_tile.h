// The full 6 x 16 tile of the neon_bf16 variant, in assembly, as g++ 12 spills when the sums take
// 24 registers.
//
// Registers: v8 .. v31 are the sums of three pairs of rows, eight pairs of columns each, a 2 x 2
// block to a register; while multiplying, v0 .. v2 are rows and v3 .. v6 weights. Four values of k
// take 24 BFMMLA, which keep the four pipes of a Neoverse-V1 busy for six cycles, and 11 loads,
// which run beside them: 6.0 cycles from the first-level cache.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hone/kernels/gemm_bf16/gemm_bf16.h"

// clang-format off

// The biases of two pairs of columns. Loaded for every pair of rows: a move would take a slot of a
// vector pipe.
#define HONE_BIAS(q0, q1, v) "ldp q" #q0 ", q" #q1 ", [%[panel], #(16 * " #v ")]\n"

// One pair of columns: weights in v`w`, sums in s0, s1 and s2.
#define HONE_PRODUCTS(w, s0, s1, s2)             \
  "bfmmla v" #s0 ".4s, v0.8h, v" #w ".8h\n"      \
  "bfmmla v" #s1 ".4s, v1.8h, v" #w ".8h\n"      \
  "bfmmla v" #s2 ".4s, v2.8h, v" #w ".8h\n"

// Four values of k, `n` such steps ahead.
#define HONE_STEP(n)                             \
  "ldp q0, q1, [%[a], #(48 * " #n ")]\n"         \
  "ldp q3, q4, [%[w], #(128 * " #n ")]\n"        \
  "ldr q2, [%[a], #(48 * " #n " + 32)]\n"        \
  HONE_PRODUCTS(3, 8, 16, 24)                    \
  "ldp q5, q6, [%[w], #(128 * " #n " + 32)]\n"   \
  HONE_PRODUCTS(4, 9, 17, 25)                    \
  HONE_PRODUCTS(5, 10, 18, 26)                   \
  "ldp q3, q4, [%[w], #(128 * " #n " + 64)]\n"   \
  HONE_PRODUCTS(6, 11, 19, 27)                   \
  HONE_PRODUCTS(3, 12, 20, 28)                   \
  "ldp q5, q6, [%[w], #(128 * " #n " + 96)]\n"   \
  HONE_PRODUCTS(4, 13, 21, 29)                   \
  HONE_PRODUCTS(5, 14, 22, 30)                   \
  HONE_PRODUCTS(6, 15, 23, 31)

#define HONE_SUMS                                                                           \
  HONE_BIAS(8, 9, 0) HONE_BIAS(10, 11, 2) HONE_BIAS(12, 13, 4) HONE_BIAS(14, 15, 6)         \
  HONE_BIAS(16, 17, 0) HONE_BIAS(18, 19, 2) HONE_BIAS(20, 21, 4) HONE_BIAS(22, 23, 6)       \
  HONE_BIAS(24, 25, 0) HONE_BIAS(26, 27, 2) HONE_BIAS(28, 29, 4) HONE_BIAS(30, 31, 6)       \
  "cbz %[pairs], 2f\n"                                                                      \
  ".p2align 5\n"                                                                            \
  "1:\n"                                                                                    \
  HONE_STEP(0) HONE_STEP(1)                                                                 \
  "subs %[pairs], %[pairs], #1\n"                                                           \
  "add %[a], %[a], #96\n"                                                                   \
  "add %[w], %[w], #256\n"                                                                  \
  "b.ne 1b\n"                                                                               \
  "2: cbz %[odd], 3f\n"                                                                     \
  HONE_STEP(0)                                                                              \
  "add %[a], %[a], #48\n"                                                                   \
  "3:\n"

#define HONE_RESIDUAL(s0, s1, s2, s3)                       \
  "ldp q2, q3, [%[residual]]\n"                             \
  "fadd v" #s0 ".4s, v" #s0 ".4s, v2.4s\n"                  \
  "fadd v" #s1 ".4s, v" #s1 ".4s, v3.4s\n"                  \
  "ldp q2, q3, [%[residual], #32]\n"                        \
  "fadd v" #s2 ".4s, v" #s2 ".4s, v2.4s\n"                  \
  "fadd v" #s3 ".4s, v" #s3 ".4s, v3.4s\n"                  \
  "add %[residual], %[residual], %[residual_pitch]\n"
#define HONE_NO_RESIDUAL(s0, s1, s2, s3)

#define HONE_CLAMP(s)                                       \
  "fmax v" #s ".4s, v" #s ".4s, v0.4s\n"                    \
  "fmin v" #s ".4s, v" #s ".4s, v1.4s\n"
#define HONE_ROW(add_residual, s0, s1, s2, s3)                                  \
  add_residual(s0, s1, s2, s3)                                                  \
  HONE_CLAMP(s0) HONE_CLAMP(s1) "stp q" #s0 ", q" #s1 ", [%[c]]\n"              \
  HONE_CLAMP(s2) HONE_CLAMP(s3) "stp q" #s2 ", q" #s3 ", [%[c], #32]\n"         \
  "add %[c], %[c], %[c_pitch]\n"

// Two pairs of columns to four columns of the first row, in v`to`, and of the second, in s1.
#define HONE_SPLIT(to, s0, s1)                              \
  "zip1 v" #to ".2d, v" #s0 ".2d, v" #s1 ".2d\n"            \
  "zip2 v" #s1 ".2d, v" #s0 ".2d, v" #s1 ".2d\n"
#define HONE_ROWS(add_residual, s0, s1, s2, s3, s4, s5, s6, s7)                             \
  HONE_SPLIT(4, s0, s1) HONE_SPLIT(5, s2, s3) HONE_SPLIT(6, s4, s5) HONE_SPLIT(7, s6, s7)   \
  HONE_ROW(add_residual, 4, 5, 6, 7) HONE_ROW(add_residual, s1, s3, s5, s7)

#define HONE_FULL_TILE(add_residual)                                                        \
  asm volatile(HONE_SUMS                                                                    \
               "dup v0.4s, %w[low]\n"                                                       \
               "dup v1.4s, %w[high]\n"                                                      \
               HONE_ROWS(add_residual, 8, 9, 10, 11, 12, 13, 14, 15)                        \
               HONE_ROWS(add_residual, 16, 17, 18, 19, 20, 21, 22, 23)                      \
               HONE_ROWS(add_residual, 24, 25, 26, 27, 28, 29, 30, 31)                      \
               : [a] "+&r"(a), [w] "+&r"(w), [pairs] "+&r"(pairs), [c] "+&r"(c),            \
                 [residual] "+&r"(residual)                                                 \
               : [odd] "r"(odd), [panel] "r"(panel), [c_pitch] "r"(c_pitch),                \
                 [residual_pitch] "r"(residual_pitch), [low] "r"(low), [high] "r"(high)     \
               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",  \
                 "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",      \
                 "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",      \
                 "cc", "memory")
// clang-format on

namespace hone {

// `tiles` of six rows, the first of a strip with all 16 columns. What changes from tile to tile is
// in registers: a strip in memory that is moved on for every tile is read behind the tile's stores,
// which took 166 cycles for 64 values of k instead of 135.
template <bool kResidual>
void gemm_bf16_full_tiles(const GemmBf16Strip& strip, size_t tiles) {
  const std::byte* const panel = strip.panel;
  const BFloat16* a = strip.a;
  float* c = strip.c;
  const float* residual = strip.residual;
  const auto low = std::bit_cast<uint32_t>(strip.low);
  const auto high = std::bit_cast<uint32_t>(strip.high);
  const size_t odd = strip.steps % 2;
  const size_t c_pitch = strip.c_stride * sizeof(float);
  const size_t residual_pitch = strip.residual_stride * sizeof(float);
  for (; tiles > 0; --tiles) {
    const std::byte* w = panel + 16 * 2 * sizeof(float);
    size_t pairs = strip.steps / 2;
    if constexpr (kResidual) {
      HONE_FULL_TILE(HONE_RESIDUAL);
    } else {
      HONE_FULL_TILE(HONE_NO_RESIDUAL);
    }
  }
}

}  // namespace hone

#undef HONE_BIAS
#undef HONE_PRODUCTS
#undef HONE_STEP
#undef HONE_SUMS
#undef HONE_RESIDUAL
#undef HONE_NO_RESIDUAL
#undef HONE_CLAMP
#undef HONE_ROW
#undef HONE_SPLIT
#undef HONE_ROWS
#undef HONE_FULL_TILE
