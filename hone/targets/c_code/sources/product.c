/* Products of bytes: panels of weights times columns, which are rows of an image, or what lies under its windows.
   A panel has two output channels, a word of four values of k of each in turn; k is a multiple of eight, filled
   up with zeros, and so is the number of channels of two. What meets such zeros may be anything. */
#define HONE_COLUMNS 3
#define HONE_PANELS 8 /* Panels that are multiplied before their sums are finished. */

/* Columns are widened to 16 bits and lie side by side: of four values of one 0 and 2, then 1 and 3, then those
   of the next column. */
HONE_INLINE void hone_widen(const int8_t *x, int32_t count, int32_t columns, uint32_t *to) {
#pragma GCC unroll 4
  for (int32_t i = 0; i < count; i += 4) {
#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
    uint32_t even, odd;
    __asm__ volatile(
        "ldr %[odd], [%[x]], #4\n"
        "sxtb16 %[even], %[odd]\n"
        "sxtb16 %[odd], %[odd], ror #8\n"
        "strd %[even], %[odd], [%[to]], %[step]\n"
        : [x] "+r"(x), [to] "+r"(to), [even] "=&r"(even), [odd] "=&r"(odd)
        : [step] "I"(8 * columns)
        : "memory");
#else
    const uint32_t word = hone_word(x + i);
    to[0] = hone_even_bytes(word);
    to[1] = hone_odd_bytes(word);
    to += 2 * columns;
#endif
  }
}

/* Where a column of so many lies, from which word on its values from one on, and what puts them there. With Helium
   and without the DSP extension three columns lie one behind the other, as bytes. */
#if HONE_HELIUM || !(defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP)
#define HONE_BYTES 1
#else
#define HONE_BYTES 0
#endif
#define HONE_AS_BYTES(columns) (HONE_BYTES && (columns) == HONE_COLUMNS)
HONE_INLINE uint32_t *hone_column_of(uint32_t *scratch, int32_t columns, int32_t k, int32_t i) {
  return scratch + (HONE_AS_BYTES(columns) ? i * k / 4 : 2 * i);
}
HONE_INLINE int32_t hone_words_of(int32_t columns, int32_t values) {
  return HONE_AS_BYTES(columns) ? values / 4 : values / 2 * columns;
}
HONE_INLINE void hone_put(const int8_t *x, int32_t count, int32_t columns, uint32_t *to) {
  if (HONE_AS_BYTES(columns)) {
    memcpy(to, x, (size_t)count);
  } else {
    hone_widen(x, count, columns, to);
  }
}

/* Biases and products of so many panels with three columns: sums of a channel with each of them, then of the
   next channel. */
#if HONE_HELIUM
/* Of one panel with `count` columns. Loads take the words of both channels apart; of eight values that are
   left, words of a column are put beside those of one channel, and zeros beside the other's. */
HONE_INLINE void hone_panel_columns(const uint32_t *weights, const int8_t *columns, int32_t k,
                                    int32_t count, int32_t *a, int32_t *b) {
  int32_t i = 0;
  for (; i + 16 <= k; i += 16) {
    const uint32x4x2_t both = vld2q_u32(weights + i / 2);
    const int8x16_t first = vreinterpretq_s8_u32(both.val[0]);
    const int8x16_t second = vreinterpretq_s8_u32(both.val[1]);
    for (int32_t c = 0; c < count; ++c) {
      const int8x16_t x = vldrbq_s8(columns + c * k + i);
      a[c] = vmladavaq_s8(a[c], first, x);
      b[c] = vmladavaq_s8(b[c], second, x);
    }
  }
  if (i < k) {
    const uint32_t places[4] = {0, 0, 4, 4}, ones[4] = {~0u, 0, ~0u, 0};
    const int8x16_t both = vreinterpretq_s8_u32(vldrwq_u32(weights + i / 2));
    const uint32x4_t first = vldrwq_u32(ones);
    for (int32_t c = 0; c < count; ++c) {
      const uint32_t *const words = (const uint32_t *)(columns + c * k + i);
      const uint32x4_t x = vldrwq_gather_offset_u32(words, vldrwq_u32(places));
      a[c] = vmladavaq_s8(a[c], both, vreinterpretq_s8_u32(vandq_u32(x, first)));
      b[c] = vmladavaq_s8(b[c], both, vreinterpretq_s8_u32(vbicq_u32(x, first)));
    }
  }
}

static __attribute__((noinline, unused)) void hone_panel_sums(
    const uint32_t *weights, const uint32_t *columns, int32_t k, int32_t panels,
    const int32_t *biases, int32_t *sums) {
  for (int32_t panel = 0; panel < panels; ++panel) {
    int32_t a[3] = {biases[0], biases[0], biases[0]}, b[3] = {biases[1], biases[1], biases[1]};
    hone_panel_columns(weights, (const int8_t *)columns, k, HONE_COLUMNS, a, b);
    for (int32_t c = 0; c < HONE_COLUMNS; ++c) {
      sums[c] = a[c];
      sums[HONE_COLUMNS + c] = b[c];
    }
    weights += k / 2;
    biases += 2;
    sums += 2 * HONE_COLUMNS;
  }
}
#elif defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
/* Four values of k: r2, r3 weights, r10, r11 every other of them, r12, lr a column, r4 to r9 sums. */
#define HONE_FOUR              \
  "ldrd r2, r3, [r0], #8\n"    \
  "ldrd r12, lr, [r1], #8\n"   \
  "sxtb16 r10, r2\n"           \
  "sxtb16 r11, r3\n"           \
  "smlad r4, r10, r12, r4\n"   \
  "sxtb16 r2, r2, ror #8\n"    \
  "smlad r7, r11, r12, r7\n"   \
  "sxtb16 r3, r3, ror #8\n"    \
  "smlad r4, r2, lr, r4\n"     \
  "smlad r7, r3, lr, r7\n"     \
  "ldrd r12, lr, [r1], #8\n"   \
  "smlad r5, r10, r12, r5\n"   \
  "smlad r8, r11, r12, r8\n"   \
  "smlad r5, r2, lr, r5\n"     \
  "smlad r8, r3, lr, r8\n"     \
  "ldrd r12, lr, [r1], #8\n"   \
  "smlad r6, r10, r12, r6\n"   \
  "smlad r9, r11, r12, r9\n"   \
  "smlad r6, r2, lr, r6\n"     \
  "smlad r9, r3, lr, r9\n"

/* In assembly, since compilers keep some of the fourteen registers in memory. On the stack: where the panel
   ends, columns, bytes of a panel, panels, biases, sums. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
static __attribute__((naked, noinline, unused)) void hone_panel_sums(
    const uint32_t *weights, const uint32_t *columns, int32_t k, int32_t panels,
    const int32_t *biases, int32_t *sums) {
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "ldrd r4, r5, [sp, #36]\n"
      "lsl r2, r2, #1\n"
      "push {r0-r5}\n"
      "1: ldrd r1, r2, [sp, #4]\n"
      "ldr r3, [sp, #16]\n"
      "add r2, r2, r0\n"
      "str r2, [sp]\n"
      "ldrd r4, r7, [r3], #8\n"
      "str r3, [sp, #16]\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r8, r7\n"
      "mov r9, r7\n"
      "2:\n"
      HONE_FOUR HONE_FOUR
      "ldr r12, [sp]\n"
      "cmp r0, r12\n"
      "bne 2b\n"
      "ldr r3, [sp, #12]\n"
      "ldr r12, [sp, #20]\n"
      "subs r3, r3, #1\n"
      "stmia r12!, {r4-r9}\n"
      "str r3, [sp, #12]\n"
      "str r12, [sp, #20]\n"
      "bne 1b\n"
      "add sp, sp, #24\n"
      "pop {r4-r11, pc}\n");
}
#pragma GCC diagnostic pop
#else
/* Adds the products of both channels of a panel, whose bytes are four of each in turn, with `count` columns. */
HONE_INLINE void hone_panel_bytes(const uint32_t *weights, const int8_t *columns, int32_t k,
                                  int32_t count, int32_t *a, int32_t *b) {
  const int8_t *w = (const int8_t *)weights;
  const int8_t *const end = columns + k;
  while (columns < end) {
#pragma GCC unroll 4
    for (int32_t j = 0; j < 4; ++j) {
      const int32_t first = w[j], second = w[j + 4];
      for (int32_t c = 0; c < count; ++c) {
        const int32_t x = columns[c * k + j];
        a[c] = (int32_t)((uint32_t)a[c] + (uint32_t)(first * x));
        b[c] = (int32_t)((uint32_t)b[c] + (uint32_t)(second * x));
      }
    }
    w += 8;
    columns += 4;
  }
}

static __attribute__((noinline, unused)) void hone_panel_sums(
    const uint32_t *weights, const uint32_t *columns, int32_t k, int32_t panels,
    const int32_t *biases, int32_t *sums) {
  for (int32_t panel = 0; panel < panels; ++panel) {
    int32_t a[3] = {biases[0], biases[0], biases[0]}, b[3] = {biases[1], biases[1], biases[1]};
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 1
    /* Which has registers for the sums of one column. */
#pragma GCC unroll 1
    for (int32_t c = 0; c < HONE_COLUMNS; ++c) {
      hone_panel_bytes(weights, (const int8_t *)columns + c * k, k, 1, a + c, b + c);
    }
#else
    hone_panel_bytes(weights, (const int8_t *)columns, k, HONE_COLUMNS, a, b);
#endif
    for (int32_t c = 0; c < HONE_COLUMNS; ++c) {
      sums[c] = a[c];
      sums[HONE_COLUMNS + c] = b[c];
    }
    weights += k / 2;
    biases += 2;
    sums += 2 * HONE_COLUMNS;
  }
}
#endif

/* What becomes of the sums of some channels. */
HONE_INLINE void hone_finish_three(hone_finish finish, int32_t channel, int32_t count,
                                   const int32_t *sums, int8_t *y0, int8_t *y1, int8_t *y2) {
#if HONE_HELIUM
  hone_finish_channels(finish, channel, count, sums, HONE_COLUMNS, y0);
  hone_finish_channels(finish, channel, count, sums + 1, HONE_COLUMNS, y1);
  hone_finish_channels(finish, channel, count, sums + 2, HONE_COLUMNS, y2);
#else
#pragma GCC unroll 1
  for (int32_t i = channel; i < channel + count; ++i) {
    const hone_scale scale = hone_scale_of(finish, i);
    const int32_t place = hone_place(finish, i);
    const int32_t first = sums[0], second = sums[1], third = sums[2];
    y0[place] = hone_finished(finish, scale, first);
    y1[place] = hone_finished(finish, scale, second);
    y2[place] = hone_finished(finish, scale, third);
    sums += HONE_COLUMNS;
  }
#endif
}

/* Three columns times all channels. */
HONE_INLINE void hone_three_columns(const uint32_t *columns, int32_t k, int32_t channels,
                                    const uint32_t *weights, hone_finish finish, int8_t *y0,
                                    int8_t *y1, int8_t *y2) {
  int32_t sums[HONE_PANELS * 2 * HONE_COLUMNS];
  hone_fill(finish, channels, y0);
  hone_fill(finish, channels, y1);
  hone_fill(finish, channels, y2);
#pragma GCC unroll 1
  for (int32_t n = 0; n < finish.channels; n += 2 * HONE_PANELS) {
    const int32_t left = finish.channels - n;
    const int32_t some = left < 2 * HONE_PANELS ? left : 2 * HONE_PANELS;
    hone_panel_sums(weights, columns, k, (some + 1) / 2, finish.bias + n, sums);
    weights += HONE_PANELS * k / 2;
    hone_finish_three(finish, n, some, sums, y0, y1, y2);
  }
}
