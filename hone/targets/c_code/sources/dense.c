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
HONE_INLINE void hone_panel_row(const uint32_t *weights, const uint32_t *row, int32_t k, int32_t *a,
                                int32_t *b) {
  const uint32_t *const end = weights + k / 2;
  int32_t sum_a = *a, sum_b = *b;
#pragma GCC unroll 1
  do {
#pragma GCC unroll 2
    for (int32_t i = 0; i < 4; i += 2) {
      const uint32_t wa = weights[i], wb = weights[i + 1];
      sum_a = hone_add_pair(hone_even_bytes(wa), row[i], sum_a);
      sum_b = hone_add_pair(hone_even_bytes(wb), row[i], sum_b);
      sum_a = hone_add_pair(hone_odd_bytes(wa), row[i + 1], sum_a);
      sum_b = hone_add_pair(hone_odd_bytes(wb), row[i + 1], sum_b);
    }
    weights += 4;
    row += 4;
  } while (weights != end);
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
  for (int32_t n = 0; n < channels; n += 2) {
    int32_t a = finish.bias[n], b = finish.bias[n + 1];
    hone_panel_row(weights, scratch, k, &a, &b);
    weights += k / 2;
    y[n] = hone_finished(finish, hone_scale_of(finish, n), a);
    if (n + 1 != channels) y[n + 1] = hone_finished(finish, hone_scale_of(finish, n + 1), b);
  }
}
