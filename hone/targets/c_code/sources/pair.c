/* Sums, differences and products of two tensors of [outer][rows][columns], element by element. The second
   operand may be repeated: its elements lie so far apart along each. */
typedef struct {
  int32_t outer, rows, columns;
  int32_t b_outer, b_rows, b_columns;
} hone_pairs;

typedef struct {
  int32_t zero, multiplier, shift;
} hone_operand;

HONE_INLINE void hone_sum(hone_pairs s, int sign, int32_t headroom, hone_operand a, hone_operand b,
                          hone_operand to, int32_t low, int32_t high, const int8_t *x0,
                          const int8_t *x1, int8_t *y) {
  for (int32_t o = 0; o < s.outer; ++o) {
    for (int32_t r = 0; r < s.rows; ++r) {
      const int8_t *const other = x1 + o * s.b_outer + r * s.b_rows;
      for (int32_t c = 0; c < s.columns; ++c) {
        const int32_t left = hone_scaled((*x0++ - a.zero) * (1 << headroom), a.multiplier, a.shift);
        const int32_t right = hone_scaled((other[c * s.b_columns] - b.zero) * (1 << headroom),
                                          b.multiplier, b.shift);
        const int32_t sum = (int32_t)((uint32_t)left + (uint32_t)(sign * right));
        *y++ = (int8_t)hone_placed(hone_scaled(sum, to.multiplier, to.shift), to.zero, low, high);
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
