/* Sums, differences, products and extremes of two tensors of [outer][rows][columns], element by element. The second
   operand may be repeated: its elements lie so far apart along each. */
typedef struct {
  int32_t outer, rows, columns;
  int32_t b_outer, b_rows, b_columns;
} hone_pairs;

typedef struct {
  int32_t zero, multiplier, shift;
} hone_operand;

/* Operands are scaled by at most one: no sum reaches 2^30. */
HONE_INLINE void hone_sum(hone_pairs s, int sign, int32_t headroom, hone_operand a, hone_operand b,
                          hone_operand to, int32_t low, int32_t high, const int8_t *x0,
                          const int8_t *x1, int8_t *y) {
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; ++c) {
        const int32_t left =
            hone_small_scaled((*x0++ - a.zero) * (1 << headroom), a.multiplier, a.shift);
        const int32_t right = hone_small_scaled(
            (other[c * s.b_columns] - b.zero) * (1 << headroom), b.multiplier, b.shift);
        const int32_t sum = left + sign * right;
        *y++ =
            (int8_t)hone_placed(hone_small_scaled(sum, to.multiplier, to.shift), to.zero, low, high);
      }
    }
  }
}

HONE_INLINE void hone_multiply(hone_pairs s, int32_t a_zero, int32_t b_zero, hone_operand to,
                               int32_t low, int32_t high, const int8_t *x0, const int8_t *x1,
                               int8_t *y) {
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; ++c) {
        const int32_t product = (*x0++ - a_zero) * (other[c * s.b_columns] - b_zero);
        *y++ =
            (int8_t)hone_placed(hone_scaled(product, to.multiplier, to.shift), to.zero, low, high);
      }
    }
  }
}

/* The larger for a sign of 1, the smaller for -1. */
HONE_INLINE void hone_extreme(hone_pairs s, int sign, const int8_t *x0, const int8_t *x1,
                              int8_t *y) {
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; ++c) {
        const int8_t a = *x0++, b = other[c * s.b_columns];
        *y++ = sign * a > sign * b ? a : b;
      }
    }
  }
}

/* x as it is from zero on, times the second operand below; both with a factor of their own. */
HONE_INLINE void hone_prelu(hone_pairs s, hone_operand above, hone_operand below, int32_t zero,
                            const int8_t *x0, const int8_t *x1, int8_t *y) {
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const slope = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; ++c) {
        const int32_t x = *x0++ - above.zero;
        const int32_t scaled =
            x >= 0 ? hone_scaled(x, above.multiplier, above.shift)
                   : hone_scaled(x * (slope[c * s.b_columns] - below.zero), below.multiplier,
                                 below.shift);
        *y++ = (int8_t)hone_placed(scaled, zero, -128, 127);
      }
    }
  }
}
