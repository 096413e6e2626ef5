/* Sums and differences of two tensors, as of hone_sum, 128 elements at a time where they lie side by side. */

/* As hone_small_scaled. */
HONE_INLINE hone_v hone_v_small_scaled(hone_v x, hone_operand by) {
  const hone_v multiplier = hone_v_words(by.multiplier);
  if (by.shift > 0) x = hone_v_shift_left(x, by.shift);
  if (by.shift >= 0) return hone_v_doubled_high(x, multiplier);
  const hone_v half = hone_v_words(1 << (-by.shift - 1)), shift = hone_v_words(-by.shift);
#if HONE_ROUNDING == 1
  const hone_v y = hone_v_doubled_floor(x, multiplier);
#else
  const hone_v y = hone_v_doubled_high(x, multiplier);
#endif
  const hone_v more = HONE_ROUNDING == 0 ? hone_v_add(half, hone_v_sign(y)) : half;
  return hone_v_shift_right(hone_v_add(y, more), shift);
}

HONE_INLINE hone_v hone_v_operand(hone_v x, int32_t headroom, hone_operand of) {
  const hone_v centered = hone_v_sub(x, hone_v_words(of.zero));
  return hone_v_small_scaled(hone_v_shift_left(centered, headroom), of);
}

HONE_INLINE void hone_hvx_sum(hone_pairs s, int sign, int32_t headroom, hone_operand a,
                              hone_operand b, hone_operand to, int32_t low, int32_t high,
                              const int8_t *x0, const int8_t *x1, int8_t *y) {
  const hone_v lowest = hone_v_bytes(low), highest = hone_v_bytes(high);
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      const int32_t whole = s.b_columns == 1 ? s.columns / 128 * 128 : 0;
      for (int32_t c = 0; c < whole; c += 128) {
        hone_v left[4], right[4];
        hone_v_widened(hone_v_load_any(x0 + c), left);
        hone_v_widened(hone_v_load_any(other + c), right);
        HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
          const hone_v one = hone_v_operand(left[q], headroom, a);
          const hone_v two = hone_v_operand(right[q], headroom, b);
          const hone_v sum = sign > 0 ? hone_v_add(one, two) : hone_v_sub(one, two);
          left[q] = hone_v_add(hone_v_small_scaled(sum, to), hone_v_words(to.zero));
        }
        const hone_v bytes = hone_v_bytes_of(left[0], left[1], left[2], left[3]);
        hone_v_store_any(y + c, hone_v_least(hone_v_most(bytes, lowest), highest));
      }
      const hone_pairs rest = {1, 1, s.columns - whole, 0, 0, s.b_columns};
      hone_sum(rest, sign, headroom, a, b, to, low, high, x0 + whole, other + whole * s.b_columns,
               y + whole);
      x0 += s.columns;
      y += s.columns;
    }
  }
}
