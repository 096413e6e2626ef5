/* A fully connected layer of one row. */
HONE_INLINE void hone_widen_row(const int8_t *x, int32_t depth, uint32_t *to) {
  for (int32_t i = 0; i < depth; i += 4) {
    const uint32_t word = i + 4 <= depth ? hone_word(x + i) : hone_part_word(x + i, depth - i);
    *to++ = hone_even_bytes(word);
    *to++ = hone_odd_bytes(word);
  }
}

HONE_INLINE void hone_put_row(const int8_t *x, int32_t depth, uint32_t *to) {
  if (HONE_BYTES) {
    memcpy(to, x, (size_t)depth);
  } else {
    hone_widen_row(x, depth, to);
  }
}

/* Adds the products of one panel. */
#if HONE_HELIUM
HONE_INLINE void hone_panel_row(const uint32_t *weights, const uint32_t *row, int32_t k, int32_t *a,
                                int32_t *b) {
  hone_panel_columns(weights, (const int8_t *)row, k, 1, a, b);
}
#elif HONE_BYTES
HONE_INLINE void hone_panel_row(const uint32_t *weights, const uint32_t *row, int32_t k, int32_t *a,
                                int32_t *b) {
  hone_panel_bytes(weights, (const int8_t *)row, k, 1, a, b);
}
#else
/* Four values of k. In assembly, since compilers load words one by one. */
#define HONE_FOUR_OF_ROW                   \
  "ldrd %[wa], %[wb], [%[weights]], #8\n"  \
  "ldrd %[x0], %[x1], [%[row]], #8\n"      \
  "sxtb16 %[ea], %[wa]\n"                  \
  "sxtb16 %[eb], %[wb]\n"                  \
  "smlad %[a], %[ea], %[x0], %[a]\n"       \
  "sxtb16 %[wa], %[wa], ror #8\n"          \
  "smlad %[b], %[eb], %[x0], %[b]\n"       \
  "sxtb16 %[wb], %[wb], ror #8\n"          \
  "smlad %[a], %[wa], %[x1], %[a]\n"       \
  "smlad %[b], %[wb], %[x1], %[b]\n"
HONE_INLINE void hone_panel_row(const uint32_t *weights, const uint32_t *row, int32_t k, int32_t *a,
                                int32_t *b) {
  int32_t sum_a = *a, sum_b = *b;
  uint32_t wa, wb, ea, eb, x0, x1;
  __asm__ volatile(
      "1:\n" HONE_FOUR_OF_ROW HONE_FOUR_OF_ROW
      "cmp %[weights], %[end]\n"
      "bne 1b\n"
      : [weights] "+r"(weights), [row] "+r"(row), [a] "+r"(sum_a), [b] "+r"(sum_b),
        [wa] "=&r"(wa), [wb] "=&r"(wb), [ea] "=&r"(ea), [eb] "=&r"(eb), [x0] "=&r"(x0),
        [x1] "=&r"(x1)
      : [end] "r"(weights + k / 2)
      : "cc", "memory");
  *a = sum_a;
  *b = sum_b;
}
#endif

/* `scratch` has k values of 16 bits. */
HONE_INLINE void hone_dense(const int8_t *x, int32_t depth, int32_t channels,
                            const uint32_t *weights, hone_finish finish, int8_t *y,
                            uint32_t *scratch) {
  const int32_t k = (depth + 7) / 8 * 8;
  hone_put_row(x, depth, scratch);
  hone_fill(finish, channels, y);
  for (int32_t n = 0; n < finish.channels; n += 2) {
    int32_t a = finish.bias[n], b = finish.bias[n + 1];
    hone_panel_row(weights, scratch, k, &a, &b);
    weights += k / 2;
    y[hone_place(finish, n)] = hone_finished(finish, hone_scale_of(finish, n), a);
    if (n + 1 == finish.channels) break;
    y[hone_place(finish, n + 1)] = hone_finished(finish, hone_scale_of(finish, n + 1), b);
  }
}

/* With panels of four channels, as in fours.c. */
#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
/* Four values of k, at W and X, and what loads the next between products: as in fours.c. */
#define HONE_MULTIPLY_OF_ROW(FIRST, SECOND, THIRD) \
  "smlad %[b], %[w0], %[x0], %[b]\n"               \
  "sxtb16 %[w0], %[w0]\n"                          \
  "smlad %[d], %[w1], %[x0], %[d]\n"               \
  "sxtb16 %[w1], %[w1]\n"                          \
  "smlad %[a], %[w0], %[x0], %[a]\n"               \
  "smlad %[c], %[w1], %[x0], %[c]\n"               \
  FIRST                                            \
  "smlad %[b], %[w2], %[x1], %[b]\n"               \
  "sxtb16 %[w2], %[w2]\n"                          \
  "smlad %[d], %[w3], %[x1], %[d]\n"               \
  "sxtb16 %[w3], %[w3]\n"                          \
  "smlad %[a], %[w2], %[x1], %[a]\n"               \
  SECOND                                           \
  "smlad %[c], %[w3], %[x1], %[c]\n"               \
  THIRD
#if HONE_ISSUE == 2
#define HONE_LOAD_ROW(X) "ldr %[x0], [%[row], #" X "]\n"
#define HONE_LOAD_FIRST(W) "ldrd %[w0], %[w1], [%[weights], #" W "]\n"
#define HONE_LOAD_SECOND(W, X)          \
  "ldr %[x1], [%[row], #" X " + 4]\n"   \
  "ldrd %[w2], %[w3], [%[weights], #" W " + 8]\n"
#define HONE_MULTIPLY_AND_LOAD(W, X) \
  HONE_MULTIPLY_OF_ROW(HONE_LOAD_ROW(X), HONE_LOAD_FIRST(W), HONE_LOAD_SECOND(W, X))
#define HONE_ALL_OF_ROW                                                       \
  HONE_LOAD_ROW("0") HONE_LOAD_FIRST("0") HONE_LOAD_SECOND("0", "0") "b 2f\n" \
  "1:\n" HONE_MULTIPLY_AND_LOAD("0", "0")                                     \
  "2:\n" HONE_MULTIPLY_AND_LOAD("16", "8")                                    \
  HONE_NEXT_OF_ROW                                                            \
  HONE_MULTIPLY_OF_ROW("", "", "")
#else
#define HONE_LOAD_AND_MULTIPLY(W, X)       \
  "ldr %[x0], [%[row], #" X "]\n"          \
  "ldr %[w0], [%[weights], #" W "]\n"      \
  "ldr %[w1], [%[weights], #" W " + 4]\n"  \
  "ldr %[w2], [%[weights], #" W " + 8]\n"  \
  "ldr %[w3], [%[weights], #" W " + 12]\n" \
  "ldr %[x1], [%[row], #" X " + 4]\n"      \
  HONE_MULTIPLY_OF_ROW("", "", "")
#define HONE_ALL_OF_ROW \
  "1:\n" HONE_LOAD_AND_MULTIPLY("0", "0") HONE_LOAD_AND_MULTIPLY("16", "8") HONE_NEXT_OF_ROW
#endif
#define HONE_NEXT_OF_ROW               \
  "add %[weights], %[weights], #32\n"  \
  "add %[row], %[row], #16\n"          \
  "cmp %[weights], %[end]\n"           \
  "bne 1b\n"
HONE_INLINE void hone_four_of_row(const uint32_t *weights, const uint32_t *row, int32_t k,
                                  const int32_t *biases, int32_t *sums) {
  int32_t a = biases[0], b = biases[1], c = biases[2], d = biases[3];
  uint32_t w0, w1, w2, w3, x0, x1;
  __asm__ volatile(
      HONE_ALL_OF_ROW
      : [weights] "+r"(weights), [row] "+r"(row), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c),
        [d] "+r"(d), [w0] "=&r"(w0), [w1] "=&r"(w1), [w2] "=&r"(w2), [w3] "=&r"(w3),
        [x0] "=&r"(x0), [x1] "=&r"(x1)
      : [end] "r"(weights + k)
      : "cc", "memory");
  sums[0] = a;
  sums[1] = (int32_t)((uint32_t)b - (uint32_t)a) >> 8;
  sums[2] = c;
  sums[3] = (int32_t)((uint32_t)d - (uint32_t)c) >> 8;
}
#else
HONE_INLINE void hone_four_of_row(const uint32_t *weights, const uint32_t *row, int32_t k,
                                  const int32_t *biases, int32_t *sums) {
  hone_four_sums_of(weights, row, 2, k, biases, sums);
}
#endif

HONE_INLINE void hone_dense_fours(const int8_t *x, int32_t depth, int32_t channels,
                                  const uint32_t *weights, hone_finish finish, int8_t *y,
                                  uint32_t *scratch) {
  const int32_t k = (depth + 7) / 8 * 8;
  hone_widen_row(x, depth, scratch);
  hone_fill(finish, channels, y);
  for (int32_t n = 0; n < finish.channels; n += 4) {
    int32_t sums[4];
    hone_four_of_row(weights, scratch, k, finish.bias + n, sums);
    weights += k;
    for (int32_t i = n; i < n + 4 && i < finish.channels; ++i) {
      y[hone_place(finish, i)] = hone_finished(finish, hone_scale_of(finish, i), sums[i - n]);
    }
  }
}
