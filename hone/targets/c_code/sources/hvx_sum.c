/* Sums and differences of two tensors, as of hone_sum, 128 elements at a time. */

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

/* Where the operands of pairs end. */
typedef struct {
  const int8_t *first, *second;
} hone_hvx_ends;
HONE_INLINE hone_hvx_ends hone_hvx_ends_of(hone_pairs s, const int8_t *x0, const int8_t *x1) {
  const int32_t last = (s.outer - 1) * s.b_outer + (s.rows - 1) * s.b_rows;
  const hone_hvx_ends ends = {x0 + s.outer * s.rows * s.columns,
                              x1 + last + (s.b_columns == 1 ? s.columns : 1)};
  return ends;
}
/* Of the second operand what goes with columns from c on: as many, or one that is repeated. */
HONE_INLINE hone_v hone_hvx_second(hone_pairs s, const int8_t *row, int32_t c, hone_hvx_ends ends) {
  return s.b_columns == 1 ? hone_v_load_before(row + c, ends.second) : hone_v_bytes(*row);
}
/* Behind a row nothing is written: y may be x0, whose next row is still to be read. */
HONE_INLINE void hone_hvx_put_some(int8_t *y, hone_v x, int32_t left) {
  if (left >= 128) {
    hone_v_store_any(y, x);
  } else {
    hone_v_put(y, x, left);
  }
}

HONE_INLINE void hone_hvx_sum(hone_pairs s, int sign, int32_t headroom, hone_operand a,
                              hone_operand b, hone_operand to, int32_t low, int32_t high,
                              const int8_t *x0, const int8_t *x1, int8_t *y) {
  const hone_v lowest = hone_v_bytes(low), highest = hone_v_bytes(high);
  const hone_hvx_ends ends = hone_hvx_ends_of(s, x0, x1);
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; c += 128) {
        hone_v left[4], right[4];
        hone_v_widened(hone_v_load_before(x0 + c, ends.first), left);
        hone_v_widened(hone_hvx_second(s, other, c, ends), right);
        HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
          const hone_v one = hone_v_operand(left[q], headroom, a);
          const hone_v two = hone_v_operand(right[q], headroom, b);
          const hone_v sum = sign > 0 ? hone_v_add(one, two) : hone_v_sub(one, two);
          left[q] = hone_v_add(hone_v_small_scaled(sum, to), hone_v_words(to.zero));
        }
        const hone_v bytes = hone_v_bytes_of(left[0], left[1], left[2], left[3]);
        hone_hvx_put_some(y + c, hone_v_least(hone_v_most(bytes, lowest), highest), s.columns - c);
      }
      x0 += s.columns;
      y += s.columns;
    }
  }
}
