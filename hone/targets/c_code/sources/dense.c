/* A fully connected layer of one row. */
#if HONE_HELIUM
HONE_INLINE void hone_put_row(const int8_t *x, int32_t depth, uint32_t *to) {
  memcpy(to, x, (size_t)depth);
}
/* Adds the products of one panel. */
HONE_INLINE void hone_panel_row(const uint32_t *weights, const uint32_t *row, int32_t k, int32_t *a,
                                int32_t *b) {
  hone_panel_columns(weights, (const int8_t *)row, k, 1, a, b);
}
#else
HONE_INLINE void hone_put_row(const int8_t *x, int32_t depth, uint32_t *to) {
  for (int32_t i = 0; i < depth; i += 4) {
    const uint32_t word = i + 4 <= depth ? hone_word(x + i) : hone_part_word(x + i, depth - i);
    *to++ = hone_even_bytes(word);
    *to++ = hone_odd_bytes(word);
  }
}
#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
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
#else
HONE_INLINE void hone_panel_row(const uint32_t *weights, const uint32_t *row, int32_t k, int32_t *a,
                                int32_t *b) {
  for (int32_t i = 0; i < k / 2; i += 2) {
    *a = hone_add_pair(hone_even_bytes(weights[i]), row[i], *a);
    *b = hone_add_pair(hone_even_bytes(weights[i + 1]), row[i], *b);
    *a = hone_add_pair(hone_odd_bytes(weights[i]), row[i + 1], *a);
    *b = hone_add_pair(hone_odd_bytes(weights[i + 1]), row[i + 1], *b);
  }
}
#endif
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
