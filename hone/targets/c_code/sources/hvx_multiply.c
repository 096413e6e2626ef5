/* Products of two tensors, as of hone_multiply, 128 elements at a time. */
typedef struct {
  int32_t a_zero, b_zero;
  hone_operand to;
  int32_t low, high;
} hone_hvx_factors;

HONE_INLINE hone_v hone_hvx_multiplied(hone_hvx_factors f, hone_v x0, hone_v x1) {
  hone_v left[4], right[4];
  hone_v_widened(x0, left);
  hone_v_widened(x1, right);
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    const hone_v one = hone_v_sub(left[q], hone_v_words(f.a_zero));
    const hone_v two = hone_v_sub(right[q], hone_v_words(f.b_zero));
    const hone_v scaled = hone_v_small_scaled(hone_v_product(one, two).low, f.to);
    left[q] = hone_v_add(scaled, hone_v_words(f.to.zero));
  }
  const hone_v bytes = hone_v_bytes_of(left[0], left[1], left[2], left[3]);
  return hone_v_least(hone_v_most(bytes, hone_v_bytes(f.low)), hone_v_bytes(f.high));
}

HONE_INLINE void hone_hvx_multiply_pairs(hone_pairs s, int32_t a_zero, int32_t b_zero,
                                         hone_operand to, int32_t low, int32_t high,
                                         const int8_t *x0, const int8_t *x1, int8_t *y) {
  const hone_hvx_factors f = {a_zero, b_zero, to, low, high};
  const hone_hvx_ends ends = hone_hvx_ends_of(s, x0, x1);
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; c += 128) {
        const hone_v left = hone_v_load_before(x0 + c, ends.first);
        const hone_v right = hone_hvx_second(s, other, c, ends);
        hone_hvx_put_some(y + c, hone_hvx_multiplied(f, left, right), s.columns - c);
      }
      x0 += s.columns;
      y += s.columns;
    }
  }
}
