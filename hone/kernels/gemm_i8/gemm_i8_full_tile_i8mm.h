// The full 6 x 16 tile of the i8mm variant, in assembly: what the compilers make of intrinsics is
// slower, since they keep moving sums between registers (GCC 12: 9.5 cycles per eight values of k,
// here 6.65).
//
// Registers: v8 .. v31 are the sums of three pairs of rows, eight pairs of columns each; while
// multiplying, v0 .. v2 are activations and v3 .. v6 weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_panel.h"

// clang-format off

// The bias of two pairs of columns. Loaded for every pair of rows: a move would take a slot of a
// vector pipe.
#define HONE_BIAS(q0, q1, v) "ldp q" #q0 ", q" #q1 ", [%[constants], #(16 * " #v ")]\n"

// One pair of columns: weights in v`w`, sums in s0, s1 and s2.
#define HONE_PRODUCTS(op, w, s0, s1, s2)         \
  op " v" #s0 ".4s, v0.16b, v" #w ".16b\n"       \
  op " v" #s1 ".4s, v1.16b, v" #w ".16b\n"       \
  op " v" #s2 ".4s, v2.16b, v" #w ".16b\n"

// Eight values of k, `n` such steps ahead.
#define HONE_STEP(op, n)                         \
  "ldp q0, q1, [%[a], #(48 * " #n ")]\n"         \
  "ldp q3, q4, [%[w], #(128 * " #n ")]\n"        \
  "ldr q2, [%[a], #(48 * " #n " + 32)]\n"        \
  HONE_PRODUCTS(op, 3, 8, 16, 24)                \
  "ldp q5, q6, [%[w], #(128 * " #n " + 32)]\n"   \
  HONE_PRODUCTS(op, 4, 9, 17, 25)                \
  HONE_PRODUCTS(op, 5, 10, 18, 26)               \
  "ldp q3, q4, [%[w], #(128 * " #n " + 64)]\n"   \
  HONE_PRODUCTS(op, 6, 11, 19, 27)               \
  HONE_PRODUCTS(op, 3, 12, 20, 28)               \
  "ldp q5, q6, [%[w], #(128 * " #n " + 96)]\n"   \
  HONE_PRODUCTS(op, 4, 13, 21, 29)               \
  HONE_PRODUCTS(op, 5, 14, 22, 30)               \
  HONE_PRODUCTS(op, 6, 15, 23, 31)

#define HONE_ALL_STEPS(op)                                                             \
  HONE_BIAS(8, 9, 0) HONE_BIAS(10, 11, 2) HONE_BIAS(12, 13, 4) HONE_BIAS(14, 15, 6)    \
  HONE_BIAS(16, 17, 0) HONE_BIAS(18, 19, 2) HONE_BIAS(20, 21, 4) HONE_BIAS(22, 23, 6)  \
  HONE_BIAS(24, 25, 0) HONE_BIAS(26, 27, 2) HONE_BIAS(28, 29, 4) HONE_BIAS(30, 31, 6)  \
  "cbz %[pairs], 2f\n"                                                                 \
  ".p2align 5\n"                                                                       \
  "1:\n"                                                                               \
  HONE_STEP(op, 0) HONE_STEP(op, 1)                                                    \
  "subs %[pairs], %[pairs], #1\n"                                                      \
  "add %[a], %[a], #96\n"                                                              \
  "add %[w], %[w], #256\n"                                                             \
  "b.ne 1b\n"                                                                          \
  "2: cbz %[odd], 3f\n"                                                                \
  HONE_STEP(op, 0)                                                                     \
  "3:\n"

// High products: with one off negative sums, so that SRSHL's ties go away from zero, or cut off where
// SRSHL is the only rounding (scale_narrow_neon).
#define HONE_SIGN_TWICE(x, sum) "cmlt v" #x ".4s, v" #sum ".4s, #0\n"
#define HONE_SCALE_TWICE(x, sum, by) "sqrdmlah v" #x ".4s, v" #sum ".4s, v" #by ".4s\n"
#define HONE_SIGN_ONCE(x, sum) ""
#define HONE_SCALE_ONCE(x, sum, by) "sqdmulh v" #x ".4s, v" #sum ".4s, v" #by ".4s\n"

// For every sum scale_narrow_neon (`sign`, `scale`, SRSHL), for every two of them UZP1 to 16 bits and
// ADD of the zero point, `narrow` to bytes, and per two rows one UZP each to put the columns side by
// side. The order is a list schedule, made by a script, for two pipes that multiply, two that shift
// and narrow, and results needed within two cycles: on a Neoverse V1 the tile takes 56 cycles at
// k = 16, in the natural order 66.
// `bounds` loads low and high into two vectors, `clamp` applies them to a row of outputs.
#define HONE_REQUANTIZE_AND_STORE(sign, scale, narrow, bounds, clamp) \
  "add %[y2], %[y], %[y_stride], lsl #1\n"                        \
  "add %[y4], %[y], %[y_stride], lsl #2\n"                        \
  "ldr q0, [%[constants], #128]\n"                                \
  sign(1, 8)                                                      \
  sign(2, 16)                                                     \
  "ldr q3, [%[constants], #256]\n"                                \
  sign(4, 24)                                                     \
  scale(1, 8, 0)                                                  \
  scale(2, 16, 0)                                                 \
  scale(4, 24, 0)                                                 \
  "srshl v8.4s, v1.4s, v3.4s\n"                                   \
  "ldr q5, [%[constants], #144]\n"                                \
  "srshl v16.4s, v2.4s, v3.4s\n"                                  \
  "srshl v24.4s, v4.4s, v3.4s\n"                                  \
  sign(6, 9)                                                      \
  sign(7, 17)                                                     \
  "ldr q0, [%[constants], #272]\n"                                \
  scale(6, 9, 5)                                                  \
  sign(1, 25)                                                     \
  scale(7, 17, 5)                                                 \
  scale(1, 25, 5)                                                 \
  "srshl v9.4s, v6.4s, v0.4s\n"                                   \
  "ldr q2, [%[constants], #192]\n"                                \
  "srshl v17.4s, v7.4s, v0.4s\n"                                  \
  "srshl v25.4s, v1.4s, v0.4s\n"                                  \
  sign(3, 12)                                                     \
  sign(4, 20)                                                     \
  scale(3, 12, 2)                                                 \
  sign(5, 28)                                                     \
  scale(4, 20, 2)                                                 \
  "uzp1 v8.8h, v8.8h, v9.8h\n"                                    \
  "ldr q6, [%[constants], #208]\n"                                \
  scale(5, 28, 2)                                                 \
  "ldr q7, [%[constants], #320]\n"                                \
  sign(0, 13)                                                     \
  "uzp1 v16.8h, v16.8h, v17.8h\n"                                 \
  "uzp1 v24.8h, v24.8h, v25.8h\n"                                 \
  scale(0, 13, 6)                                                 \
  "srshl v12.4s, v3.4s, v7.4s\n"                                  \
  sign(1, 21)                                                     \
  sign(9, 29)                                                     \
  "ldr q2, [%[constants], #160]\n"                                \
  scale(1, 21, 6)                                                 \
  "srshl v20.4s, v4.4s, v7.4s\n"                                  \
  sign(17, 10)                                                    \
  "ldr q25, [%[constants], #336]\n"                               \
  scale(9, 29, 6)                                                 \
  scale(17, 10, 2)                                                \
  "srshl v28.4s, v5.4s, v7.4s\n"                                  \
  sign(3, 18)                                                     \
  "srshl v13.4s, v0.4s, v25.4s\n"                                 \
  scale(3, 18, 2)                                                 \
  "srshl v21.4s, v1.4s, v25.4s\n"                                 \
  sign(4, 26)                                                     \
  "ldr q6, [%[constants], #176]\n"                                \
  sign(5, 11)                                                     \
  scale(4, 26, 2)                                                 \
  "ldr q7, [%[constants], #288]\n"                                \
  "srshl v29.4s, v9.4s, v25.4s\n"                                 \
  sign(0, 19)                                                     \
  scale(5, 11, 6)                                                 \
  scale(0, 19, 6)                                                 \
  "srshl v10.4s, v17.4s, v7.4s\n"                                 \
  sign(1, 27)                                                     \
  "srshl v18.4s, v3.4s, v7.4s\n"                                  \
  "ldr q2, [%[constants], #224]\n"                                \
  scale(1, 27, 6)                                                 \
  "ldr q9, [%[constants], #304]\n"                                \
  "srshl v26.4s, v4.4s, v7.4s\n"                                  \
  sign(25, 14)                                                    \
  sign(17, 22)                                                    \
  scale(25, 14, 2)                                                \
  "srshl v11.4s, v5.4s, v9.4s\n"                                  \
  sign(3, 30)                                                     \
  scale(17, 22, 2)                                                \
  "ldr q6, [%[constants], #240]\n"                                \
  scale(3, 30, 2)                                                 \
  "ldr q4, [%[constants], #352]\n"                                \
  "srshl v19.4s, v0.4s, v9.4s\n"                                  \
  sign(7, 15)                                                     \
  "srshl v27.4s, v1.4s, v9.4s\n"                                  \
  scale(7, 15, 6)                                                 \
  "srshl v14.4s, v25.4s, v4.4s\n"                                 \
  sign(5, 23)                                                     \
  sign(2, 31)                                                     \
  "ldr q0, [%[constants], #368]\n"                                \
  scale(5, 23, 6)                                                 \
  "srshl v22.4s, v17.4s, v4.4s\n"                                 \
  scale(2, 31, 6)                                                 \
  "srshl v30.4s, v3.4s, v4.4s\n"                                  \
  "srshl v15.4s, v7.4s, v0.4s\n"                                  \
  "uzp1 v12.8h, v12.8h, v13.8h\n"                                 \
  "uzp1 v20.8h, v20.8h, v21.8h\n"                                 \
  "dup v9.8h, %w[zero_point]\n"                                   \
  "uzp1 v28.8h, v28.8h, v29.8h\n"                                 \
  "srshl v23.4s, v5.4s, v0.4s\n"                                  \
  "add v8.8h, v8.8h, v9.8h\n"                                     \
  "srshl v31.4s, v2.4s, v0.4s\n"                                  \
  "add v12.8h, v12.8h, v9.8h\n"                                   \
  "add v16.8h, v16.8h, v9.8h\n"                                   \
  "add v20.8h, v20.8h, v9.8h\n"                                   \
  "add v24.8h, v24.8h, v9.8h\n"                                   \
  "add v28.8h, v28.8h, v9.8h\n"                                   \
  narrow " v1.8b, v8.8h\n"                                        \
  "uzp1 v10.8h, v10.8h, v11.8h\n"                                 \
  narrow " v25.8b, v12.8h\n"                                      \
  "uzp1 v14.8h, v14.8h, v15.8h\n"                                 \
  narrow " v17.8b, v16.8h\n"                                      \
  "uzp1 v18.8h, v18.8h, v19.8h\n"                                 \
  narrow " v6.8b, v20.8h\n"                                       \
  "uzp1 v22.8h, v22.8h, v23.8h\n"                                 \
  narrow " v4.8b, v24.8h\n"                                       \
  "uzp1 v26.8h, v26.8h, v27.8h\n"                                 \
  narrow " v3.8b, v28.8h\n"                                       \
  "uzp1 v30.8h, v30.8h, v31.8h\n"                                 \
  "add v10.8h, v10.8h, v9.8h\n"                                   \
  "add v14.8h, v14.8h, v9.8h\n"                                   \
  "add v18.8h, v18.8h, v9.8h\n"                                   \
  "add v22.8h, v22.8h, v9.8h\n"                                   \
  narrow "2 v1.16b, v10.8h\n"                                     \
  "add v26.8h, v26.8h, v9.8h\n"                                   \
  bounds(7, 13)                                                   \
  narrow "2 v25.16b, v14.8h\n"                                    \
  "add v30.8h, v30.8h, v9.8h\n"                                   \
  narrow "2 v17.16b, v18.8h\n"                                    \
  narrow "2 v6.16b, v22.8h\n"                                     \
  narrow "2 v4.16b, v26.8h\n"                                     \
  "uzp1 v21.8h, v1.8h, v25.8h\n"                                  \
  clamp(21, 7, 13)                                                \
  "str q21, [%[y]]\n"                                             \
  narrow "2 v3.16b, v30.8h\n"                                     \
  "uzp2 v29.8h, v1.8h, v25.8h\n"                                  \
  clamp(29, 7, 13)                                                \
  "str q29, [%[y], %[y_stride]]\n"                                \
  "uzp1 v5.8h, v17.8h, v6.8h\n"                                   \
  clamp(5, 7, 13)                                                 \
  "str q5, [%[y2]]\n"                                             \
  "uzp2 v0.8h, v17.8h, v6.8h\n"                                   \
  clamp(0, 7, 13)                                                 \
  "str q0, [%[y2], %[y_stride]]\n"                                \
  "uzp1 v2.8h, v4.8h, v3.8h\n"                                    \
  clamp(2, 7, 13)                                                 \
  "str q2, [%[y4]]\n"                                             \
  "uzp2 v8.8h, v4.8h, v3.8h\n"                                    \
  clamp(8, 7, 13)                                                 \
  "str q8, [%[y4], %[y_stride]]\n"

#define HONE_NO_BOUNDS(low, high)
#define HONE_NO_CLAMP(row, low, high)
#define HONE_BOUNDS(low, high)            \
  "dup v" #low ".16b, %w[low]\n"          \
  "dup v" #high ".16b, %w[high]\n"
#define HONE_CLAMP_S8(row, low, high)                       \
  "smax v" #row ".16b, v" #row ".16b, v" #low ".16b\n"      \
  "smin v" #row ".16b, v" #row ".16b, v" #high ".16b\n"
#define HONE_CLAMP_U8(row, low, high)                       \
  "umax v" #row ".16b, v" #row ".16b, v" #low ".16b\n"      \
  "umin v" #row ".16b, v" #row ".16b, v" #high ".16b\n"

#define HONE_FULL_TILE(op, sign, scale, narrow, bounds, clamp)                                           \
  asm volatile(HONE_ALL_STEPS(op) HONE_REQUANTIZE_AND_STORE(sign, scale, narrow, bounds, clamp) \
               : [a] "+&r"(a), [w] "+&r"(w), [pairs] "+&r"(pairs), [y2] "=&r"(y2),          \
                 [y4] "=&r"(y4)                                                             \
               : [odd] "r"(odd), [constants] "r"(panel.bias), [y] "r"(y),                   \
                 [y_stride] "r"(y_stride), [zero_point] "r"(panel.header->zero_point),      \
                 [low] "r"(panel.header->low), [high] "r"(panel.header->high)               \
               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",  \
                 "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",      \
                 "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",      \
                 "cc", "memory")
#define HONE_TWICE(op, narrow, bounds, clamp) \
  HONE_FULL_TILE(op, HONE_SIGN_TWICE, HONE_SCALE_TWICE, narrow, bounds, clamp)
#define HONE_ONCE(op, narrow, bounds, clamp) \
  HONE_FULL_TILE(op, HONE_SIGN_ONCE, HONE_SCALE_ONCE, narrow, bounds, clamp)
// clang-format on

namespace hone {

// Six rows and 16 columns of a panel that is narrow, and rounds once if kOnce. `steps` of eight
// values of k.
template <class A, bool kClamps, bool kOnce>
[[gnu::always_inline]] inline void gemm_i8_full_tile(const GemmI8Panel& panel, size_t steps,
                                                     const uint8_t* a, A* y, size_t y_stride) {
  const int8_t* w = panel.weights;
  size_t pairs = steps / 2;
  const size_t odd = steps % 2;
  A* y2;
  A* y4;
  if constexpr (std::is_signed_v<A> && kClamps && kOnce) {
    HONE_ONCE("smmla", "sqxtn", HONE_BOUNDS, HONE_CLAMP_S8);
  } else if constexpr (std::is_signed_v<A> && kClamps) {
    HONE_TWICE("smmla", "sqxtn", HONE_BOUNDS, HONE_CLAMP_S8);
  } else if constexpr (std::is_signed_v<A> && kOnce) {
    HONE_ONCE("smmla", "sqxtn", HONE_NO_BOUNDS, HONE_NO_CLAMP);
  } else if constexpr (std::is_signed_v<A>) {
    HONE_TWICE("smmla", "sqxtn", HONE_NO_BOUNDS, HONE_NO_CLAMP);
  } else if constexpr (kClamps && kOnce) {
    HONE_ONCE("usmmla", "sqxtun", HONE_BOUNDS, HONE_CLAMP_U8);
  } else if constexpr (kClamps) {
    HONE_TWICE("usmmla", "sqxtun", HONE_BOUNDS, HONE_CLAMP_U8);
  } else if constexpr (kOnce) {
    HONE_ONCE("usmmla", "sqxtun", HONE_NO_BOUNDS, HONE_NO_CLAMP);
  } else {
    HONE_TWICE("usmmla", "sqxtun", HONE_NO_BOUNDS, HONE_NO_CLAMP);
  }
}

}  // namespace hone

#undef HONE_BIAS
#undef HONE_PRODUCTS
#undef HONE_STEP
#undef HONE_ALL_STEPS
#undef HONE_SIGN_TWICE
#undef HONE_SCALE_TWICE
#undef HONE_SIGN_ONCE
#undef HONE_SCALE_ONCE
#undef HONE_REQUANTIZE_AND_STORE
#undef HONE_NO_BOUNDS
#undef HONE_NO_CLAMP
#undef HONE_BOUNDS
#undef HONE_CLAMP_S8
#undef HONE_CLAMP_U8
#undef HONE_FULL_TILE
#undef HONE_TWICE
#undef HONE_ONCE
