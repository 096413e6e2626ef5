/* The same with panels of four channels and two columns, for the DSP extension. Halves of a word hold a weight of
   one channel and 256 times that of the next, so that one instruction multiplies by both; the first is taken out
   for a sum of its own, and what is left of the other is 256 times the sum of the second channel. That is exact
   where this sum lies within 24 bits, which whoever lays weights out so has to see to.
   A panel has of four values of k those of 0 and 2, of channels 0 and 1, then 2 and 3, and the same of 1 and 3.
   Biases are those of the sums: of a first channel its own, of a second one 256 times its own and the first's. */
#define HONE_PAIR_COLUMNS 2
#define HONE_FOUR_PANELS 4 /* Panels that are multiplied before their sums are finished. */

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
/* Two values of k: r2, r3 weights, r12, lr columns, r4 to r11 sums, of a channel with each column. W and X are where
   they lie. HONE_ISSUE 2: what the next two need is loaded between products, by cores that begin two instructions
   in a cycle; others load all at once. */
#define HONE_LOAD_TWO(W, X)       \
  "ldr r2, [r0, #" W "]\n"        \
  "ldr r12, [r1, #" X "]\n"       \
  "ldr lr, [r1, #" X " + 8]\n"    \
  "ldr r3, [r0, #" W " + 4]\n"
#define HONE_MULTIPLY_TWO(FIRST, SECOND, THIRD) \
  "smlad r6, r2, r12, r6\n"                     \
  "smlad r7, r2, lr, r7\n"                      \
  "sxtb16 r2, r2\n"                             \
  "smlad r10, r3, r12, r10\n"                   \
  "smlad r11, r3, lr, r11\n"                    \
  "sxtb16 r3, r3\n"                             \
  "smlad r4, r2, r12, r4\n"                     \
  "smlad r5, r2, lr, r5\n"                      \
  FIRST                                         \
  "smlad r8, r3, r12, r8\n"                     \
  SECOND                                        \
  "smlad r9, r3, lr, r9\n"                      \
  THIRD
#if HONE_ISSUE == 2
#define HONE_TWO_AND_NEXT(W, X)                                          \
  HONE_MULTIPLY_TWO("ldr r2, [r0, #" W "]\n", "ldr r12, [r1, #" X "]\n", \
                    "ldr lr, [r1, #" X " + 8]\nldr r3, [r0, #" W " + 4]\n")
#else
#define HONE_TWO_AND_NEXT(W, X) HONE_MULTIPLY_TWO("", "", "") HONE_LOAD_TWO(W, X)
#endif

/* In assembly, since compilers keep some of the fourteen registers in memory. On the stack: where the panel
   ends, columns, bytes of a panel, panels, biases, sums. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
static __attribute__((naked, noinline, unused)) void hone_four_sums(
    const uint32_t *weights, const uint32_t *columns, int32_t k, int32_t panels,
    const int32_t *biases, int32_t *sums) {
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "ldrd r4, r5, [sp, #36]\n"
      "lsl r2, r2, #2\n"
      "push {r0-r5}\n"
      "1: ldrd r1, r2, [sp, #4]\n"
      "ldr r3, [sp, #16]\n"
      "add r2, r2, r0\n"
      "str r2, [sp]\n"
      "ldr r4, [r3], #4\n"
      "ldr r6, [r3], #4\n"
      "ldr r8, [r3], #4\n"
      "ldr r10, [r3], #4\n"
      "str r3, [sp, #16]\n"
      "mov r5, r4\n"
      "mov r7, r6\n"
      "mov r9, r8\n"
      "mov r11, r10\n"
      "2:\n"
      HONE_LOAD_TWO("0", "0")
      HONE_TWO_AND_NEXT("8", "4")
      HONE_TWO_AND_NEXT("16", "16")
      HONE_TWO_AND_NEXT("24", "20")
      HONE_MULTIPLY_TWO("ldr r2, [sp]\n", "adds r0, #32\n", "adds r1, #32\n")
      "cmp r0, r2\n"
      "bne 2b\n"
      "ldr r3, [sp, #12]\n"
      "ldr r12, [sp, #20]\n"
      "sub r6, r6, r4\n"
      "sub r7, r7, r5\n"
      "sub r10, r10, r8\n"
      "sub r11, r11, r9\n"
      "asr r6, r6, #8\n"
      "asr r7, r7, #8\n"
      "asr r10, r10, #8\n"
      "asr r11, r11, #8\n"
      "stmia r12!, {r4-r11}\n"
      "subs r3, r3, #1\n"
      "str r3, [sp, #12]\n"
      "str r12, [sp, #20]\n"
      "bne 1b\n"
      "add sp, sp, #24\n"
      "pop {r4-r11, pc}\n");
}
#pragma GCC diagnostic pop
#else
/* Sums of four channels with one column, whose words of two values lie `pitch` and one apart in turn. */
HONE_INLINE void hone_four_sums_of(const uint32_t *weights, const uint32_t *column, int32_t pitch,
                                   int32_t k, const int32_t *biases, int32_t *sums) {
  for (int32_t i = 0; i < 4; ++i) sums[i] = biases[i];
  for (int32_t j = 0; j < k / 4; ++j) {
    for (int32_t i = 0; i < 4; ++i) {
      const uint32_t word = weights[4 * j + i], x = column[j * pitch + i / 2];
      int32_t *const both = sums + i % 2 * 2;
      both[0] = hone_add_pair(hone_even_bytes(word), x, both[0]);
      both[1] = hone_add_pair(word, x, both[1]);
    }
  }
  for (int32_t i = 0; i < 4; i += 2) {
    sums[i + 1] = (int32_t)((uint32_t)sums[i + 1] - (uint32_t)sums[i]) >> 8;
  }
}

static __attribute__((noinline, unused)) void hone_four_sums(
    const uint32_t *weights, const uint32_t *columns, int32_t k, int32_t panels,
    const int32_t *biases, int32_t *sums) {
  for (int32_t panel = 0; panel < panels; ++panel) {
    for (int32_t c = 0; c < HONE_PAIR_COLUMNS; ++c) {
      int32_t four[4];
      hone_four_sums_of(weights, columns + 2 * c, 2 * HONE_PAIR_COLUMNS, k, biases, four);
      for (int32_t i = 0; i < 4; ++i) sums[HONE_PAIR_COLUMNS * i + c] = four[i];
    }
    weights += k;
    biases += 4;
    sums += 4 * HONE_PAIR_COLUMNS;
  }
}
#endif

/* Two columns times all channels. */
HONE_INLINE void hone_two_columns(const uint32_t *columns, int32_t k, int32_t channels,
                                  const uint32_t *weights, hone_finish finish, int8_t *y0,
                                  int8_t *y1) {
  int32_t sums[HONE_FOUR_PANELS * 4 * HONE_PAIR_COLUMNS];
  hone_fill(finish, channels, y0);
  hone_fill(finish, channels, y1);
#pragma GCC unroll 1
  for (int32_t n = 0; n < finish.channels; n += 4 * HONE_FOUR_PANELS) {
    const int32_t left = finish.channels - n;
    const int32_t some = left < 4 * HONE_FOUR_PANELS ? left : 4 * HONE_FOUR_PANELS;
    hone_four_sums(weights, columns, k, (some + 3) / 4, finish.bias + n, sums);
    weights += HONE_FOUR_PANELS * k;
#pragma GCC unroll 1
    for (int32_t i = 0; i < some; ++i) {
      const hone_scale scale = hone_scale_of(finish, n + i);
      const int32_t place = hone_place(finish, n + i);
      const int32_t first = sums[2 * i], second = sums[2 * i + 1];
      y0[place] = hone_finished(finish, scale, first);
      y1[place] = hone_finished(finish, scale, second);
    }
  }
}

/* As many columns as a kernel is told to take at a time: three, or two with panels of four channels. */
HONE_INLINE void hone_columns(int32_t at_a_time, const uint32_t *columns, int32_t k,
                              int32_t channels, const uint32_t *weights, hone_finish finish,
                              int8_t *y0, int8_t *y1, int8_t *y2) {
  if (at_a_time == HONE_PAIR_COLUMNS) {
    hone_two_columns(columns, k, channels, weights, finish, y0, y1);
  } else {
    hone_three_columns(columns, k, channels, weights, finish, y0, y1, y2);
  }
}
