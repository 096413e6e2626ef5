// The full tile of the NEON variants, six rows of 64 bytes of columns, in assembly: with all 32
// registers in use g++ 12 spills (GCC's tile of six rows gets 74 % of peak, of five 85).
//
// Registers: v8 .. v31 are the sums, four vectors a row; while multiplying, v0 .. v5 hold a vector
// of k of each row and v6, v7 weights. A vector of k takes as many steps as it has lanes, each of
// 64 bytes of the panel, four loads and 24 multiply-adds, which keep four pipes busy for six
// cycles.
//
// It goes on from tile to tile of a strip: while it clamps and stores one, the bias and the row
// pointers of the next are on their way.
#pragma once

#include <cstddef>

#include "hone/kernels/gemm/gemm.h"

// clang-format off

// The bias of a row. Loaded for every row: a move would take a slot of a vector pipe.
#define HONE_BIAS(s0, s1, s2, s3)                     \
  "ldp q" #s0 ", q" #s1 ", [%[panel]]\n"              \
  "ldp q" #s2 ", q" #s3 ", [%[panel], #32]\n"

// Where the six rows start, from [%[a]] on.
#define HONE_LOAD_POINTERS                            \
  "add %[a5], %[a], %[pitch]\n"                       \
  "ldr %[a0], [%[a]]\n"                               \
  "ldr %[a1], [%[a5]]\n"                              \
  "ldr %[a2], [%[a5], %[pitch]]\n"                    \
  "add %[a5], %[a5], %[pitch], lsl #1\n"              \
  "ldr %[a3], [%[a5]]\n"                              \
  "ldr %[a4], [%[a5], %[pitch]]\n"                    \
  "add %[a5], %[a5], %[pitch], lsl #1\n"              \
  "ldr %[a5], [%[a5]]\n"

// One vector of columns, weights in v`w`, times lane `l` of every row, and a load of the next ones.
// What is next to what was found by trying: with all loads just ahead of their use, or the integer
// instructions in one place, the loop takes 3 to 5 % longer than the multiply-adds alone; so 0.7 %.
#define HONE_PRODUCTS(V, E, w, l, s0, s1, s2, s3, s4, s5, load)     \
  "fmla v" #s0 "." V ", v" #w "." V ", v0." E "[" #l "]\n"          \
  "fmla v" #s1 "." V ", v" #w "." V ", v1." E "[" #l "]\n"          \
  "fmla v" #s2 "." V ", v" #w "." V ", v2." E "[" #l "]\n"          \
  load                                                              \
  "fmla v" #s3 "." V ", v" #w "." V ", v3." E "[" #l "]\n"          \
  "fmla v" #s4 "." V ", v" #w "." V ", v4." E "[" #l "]\n"          \
  "fmla v" #s5 "." V ", v" #w "." V ", v5." E "[" #l "]\n"

// One value of k. Its first weights are in v6 already; `next` is where those of the next one are.
#define HONE_STEP(V, E, l, next, after0, after1, after2)                                    \
  HONE_PRODUCTS(V, E, 6, l, 8, 12, 16, 20, 24, 28, "ldr q7, [%[b], #(64 * " #l " + 16)]\n") \
  after0                                                                                    \
  HONE_PRODUCTS(V, E, 7, l, 9, 13, 17, 21, 25, 29, "ldr q6, [%[b], #(64 * " #l " + 32)]\n") \
  after1                                                                                    \
  HONE_PRODUCTS(V, E, 6, l, 10, 14, 18, 22, 26, 30, "ldr q7, [%[b], #(64 * " #l " + 48)]\n")\
  after2                                                                                    \
  HONE_PRODUCTS(V, E, 7, l, 11, 15, 19, 23, 27, 31, "ldr q6, [" next "]\n")

// Where the weights after the next `bytes` of the panel are, or any others if it ends there.
#define HONE_FIND_NEXT(bytes) "add %[next], %[b], #" #bytes "\n"
#define HONE_COMPARE_NEXT "cmp %[next], %[panel_end]\n"
#define HONE_CHOOSE_NEXT "csel %[next], %[next], %[b], lo\n"

#define HONE_FIRST_STEP(V, E, bytes)                                                        \
  HONE_STEP(V, E, 0, "%[b], #64", HONE_FIND_NEXT(bytes), HONE_COMPARE_NEXT, HONE_CHOOSE_NEXT)
#define HONE_SECOND_STEP(V, E) HONE_STEP(V, E, 1, "%[b], #128", "add %[k], %[k], #16\n", "", "")
#define HONE_MIDDLE_STEP(V, E, l) HONE_STEP(V, E, l, "%[b], #(64 * " #l " + 64)", "", "", "")
#define HONE_LAST_STEP(V, E, l) HONE_STEP(V, E, l, "%[next]", "", "", "")

// `R`: q for a vector of k of each row, s or h for a single value.
#define HONE_LOAD_ROWS(R)                                           \
  "ldr " R "0, [%[a0], %[k]]\n"                                     \
  "ldr " R "1, [%[a1], %[k]]\n"                                     \
  "ldr " R "2, [%[a2], %[k]]\n"                                     \
  "ldr " R "3, [%[a3], %[k]]\n"                                     \
  "ldr " R "4, [%[a4], %[k]]\n"                                     \
  "ldr " R "5, [%[a5], %[k]]\n"

#define HONE_STEPS_F32                                                                      \
  HONE_FIRST_STEP("4s", "s", 256) HONE_SECOND_STEP("4s", "s")                               \
  HONE_MIDDLE_STEP("4s", "s", 2) HONE_LAST_STEP("4s", "s", 3)                               \
  "add %[b], %[b], #256\n"

#define HONE_STEPS_F16                                                                      \
  HONE_FIRST_STEP("8h", "h", 512) HONE_SECOND_STEP("8h", "h")                               \
  HONE_MIDDLE_STEP("8h", "h", 2) HONE_MIDDLE_STEP("8h", "h", 3)                             \
  HONE_MIDDLE_STEP("8h", "h", 4) HONE_MIDDLE_STEP("8h", "h", 5)                             \
  HONE_MIDDLE_STEP("8h", "h", 6) HONE_LAST_STEP("8h", "h", 7)                               \
  "add %[b], %[b], #512\n"

// All taps and k of a tile. `k`, `vectors` and `end` count bytes of a row.
#define HONE_SUMS(V, E, size, STEPS)                                                        \
  "1:\n"                                                                                    \
  "mov %[k], #0\n"                                                                          \
  "cbz %[vectors], 3f\n"                                                                    \
  ".p2align 5\n"                                                                            \
  "2:\n"                                                                                    \
  HONE_LOAD_ROWS("q")                                                                       \
  STEPS                                                                                     \
  "cmp %[k], %[vectors]\n"                                                                  \
  "b.ne 2b\n"                                                                               \
  "3: cmp %[k], %[end]\n"                                                                   \
  "b.eq 5f\n"                                                                               \
  "4:\n"                                                                                    \
  HONE_LOAD_ROWS(E)                                                                         \
  "add %[k], %[k], #" #size "\n"                                                            \
  HONE_STEP(V, E, 0, "%[next]", HONE_FIND_NEXT(64), HONE_COMPARE_NEXT, HONE_CHOOSE_NEXT)     \
  "add %[b], %[b], #64\n"                                                                   \
  "cmp %[k], %[end]\n"                                                                      \
  "b.ne 4b\n"                                                                               \
  "5: add %[a], %[a], #8\n"                                                                 \
  "cmp %[a], %[taps_end]\n"                                                                 \
  "b.eq 6f\n"                                                                               \
  HONE_LOAD_POINTERS                                                                        \
  "b 1b\n"                                                                                  \
  "6:\n"

#define HONE_ADD_RESIDUAL(V, s0, s1, s2, s3)              \
  "ldp q2, q3, [%[residual]]\n"                           \
  "ldp q4, q5, [%[residual], #32]\n"                      \
  "add %[residual], %[residual], %[residual_pitch]\n"     \
  "fadd v" #s0 "." V ", v" #s0 "." V ", v2." V "\n"       \
  "fadd v" #s1 "." V ", v" #s1 "." V ", v3." V "\n"       \
  "fadd v" #s2 "." V ", v" #s2 "." V ", v4." V "\n"       \
  "fadd v" #s3 "." V ", v" #s3 "." V ", v5." V "\n"

#define HONE_CLAMP(V, s)                              \
  "fmax v" #s "." V ", v" #s "." V ", v0." V "\n"     \
  "fmin v" #s "." V ", v" #s "." V ", v1." V "\n"
#define HONE_STORE(V, s0, s1, s2, s3)                                                       \
  HONE_CLAMP(V, s0) HONE_CLAMP(V, s1) "stp q" #s0 ", q" #s1 ", [%[c]]\n"                    \
  HONE_CLAMP(V, s2) HONE_CLAMP(V, s3) "stp q" #s2 ", q" #s3 ", [%[c], #32]\n"               \
  "add %[c], %[c], %[c_pitch]\n"                                                            \
  HONE_BIAS(s0, s1, s2, s3)

// After the last tile, the pointers of which tile are loaded does not matter.
#define HONE_FINISH(V)                                                                      \
  "cbz %[residual], 7f\n"                                                                   \
  HONE_ADD_RESIDUAL(V, 8, 9, 10, 11) HONE_ADD_RESIDUAL(V, 12, 13, 14, 15)                   \
  HONE_ADD_RESIDUAL(V, 16, 17, 18, 19) HONE_ADD_RESIDUAL(V, 20, 21, 22, 23)                 \
  HONE_ADD_RESIDUAL(V, 24, 25, 26, 27) HONE_ADD_RESIDUAL(V, 28, 29, 30, 31)                 \
  "7:\n"                                                                                    \
  "ldp q0, q1, [%[bounds]]\n"                                                               \
  "sub %[next], %[a], %[pitch]\n"                                                           \
  "add %[a], %[next], %[tile_pitch]\n"                                                      \
  "subs %[tiles], %[tiles], #1\n"                                                           \
  "csel %[a], %[next], %[a], eq\n"                                                          \
  "add %[taps_end], %[a], %[pitch]\n"                                                       \
  "ldr q6, [%[first]]\n"                                                                    \
  "add %[b], %[panel], #64\n"                                                               \
  HONE_STORE(V, 8, 9, 10, 11)                                                               \
  HONE_LOAD_POINTERS                                                                        \
  HONE_STORE(V, 12, 13, 14, 15)                                                             \
  HONE_STORE(V, 16, 17, 18, 19) HONE_STORE(V, 20, 21, 22, 23)                               \
  HONE_STORE(V, 24, 25, 26, 27) HONE_STORE(V, 28, 29, 30, 31)                               \
  "b.ne 1b\n"

#define HONE_FULL_TILES(V, E, size, STEPS)                                                  \
  asm volatile(HONE_LOAD_POINTERS                                                           \
               HONE_BIAS(8, 9, 10, 11) HONE_BIAS(12, 13, 14, 15) HONE_BIAS(16, 17, 18, 19)  \
               HONE_BIAS(20, 21, 22, 23) HONE_BIAS(24, 25, 26, 27) HONE_BIAS(28, 29, 30, 31)\
               "ldr q6, [%[first]]\n"                                                       \
               "add %[b], %[panel], #64\n"                                                  \
               HONE_SUMS(V, E, size, STEPS) HONE_FINISH(V)                                  \
               : [a] "+&r"(a), [b] "=&r"(b), [c] "+&r"(c), [residual] "+&r"(residual),      \
                 [tiles] "+&r"(tiles), [taps_end] "+&r"(taps_end), [a0] "=&r"(a0),          \
                 [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [a4] "=&r"(a4),            \
                 [a5] "=&r"(a5), [k] "=&r"(k), [next] "=&r"(next)                           \
               : [panel] "r"(tile.b), [first] "r"(first), [panel_end] "r"(panel_end),       \
                 [vectors] "r"(vectors), [end] "r"(end), [pitch] "r"(pitch),                \
                 [tile_pitch] "r"(6 * pitch), [c_pitch] "r"(c_pitch),                       \
                 [residual_pitch] "r"(residual_pitch), [bounds] "r"(bounds)                 \
               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",  \
                 "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",      \
                 "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",      \
                 "cc", "memory")
// clang-format on

namespace hone {

// `tiles` of six rows, of as many columns as a panel has.
template <class V, class Storage>
void gemm_full_tiles_neon(const GemmTile<Storage>& tile, size_t tiles) {
  constexpr size_t kColumns = 4 * V::kLanes;
  const typename V::Vec bounds[2] = {V::broadcast(tile.low), V::broadcast(tile.high)};
  const Storage* const* a = tile.a;
  const Storage* const* taps_end = a + tile.taps;
  const Storage* panel_end = tile.b + (1 + tile.taps * tile.depth) * kColumns;
  const Storage* first = tile.depth == 0 ? tile.b : tile.b + kColumns;
  Storage* c = tile.c;
  const Storage* residual = tile.residual;
  const size_t end = tile.depth * sizeof(Storage);
  const size_t vectors = end / 16 * 16;
  const size_t pitch = tile.taps * sizeof(*a);
  const size_t c_pitch = tile.c_stride * sizeof(Storage);
  const size_t residual_pitch = tile.residual_stride * sizeof(Storage);
  const Storage *a0, *a1, *a2, *a3, *a4, *a5, *b, *next;
  size_t k;
  if constexpr (V::kHalf) {
    HONE_FULL_TILES("8h", "h", 2, HONE_STEPS_F16);
  } else {
    HONE_FULL_TILES("4s", "s", 4, HONE_STEPS_F32);
  }
}

}  // namespace hone

#undef HONE_BIAS
#undef HONE_LOAD_POINTERS
#undef HONE_PRODUCTS
#undef HONE_STEP
#undef HONE_FIND_NEXT
#undef HONE_COMPARE_NEXT
#undef HONE_CHOOSE_NEXT
#undef HONE_FIRST_STEP
#undef HONE_SECOND_STEP
#undef HONE_MIDDLE_STEP
#undef HONE_LAST_STEP
#undef HONE_LOAD_ROWS
#undef HONE_STEPS_F32
#undef HONE_STEPS_F16
#undef HONE_SUMS
#undef HONE_ADD_RESIDUAL
#undef HONE_CLAMP
#undef HONE_STORE
#undef HONE_FINISH
#undef HONE_FULL_TILES
