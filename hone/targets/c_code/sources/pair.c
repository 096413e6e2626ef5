/* Sums, differences and products of two tensors, element by element; of a constant b there is one. */
typedef struct {
  int32_t zero, multiplier, shift;
} hone_operand;

HONE_INLINE void hone_sum(int32_t count, int sign, int one_b, int32_t headroom, hone_operand a,
                          hone_operand b, hone_operand to, int32_t low, int32_t high,
                          const int8_t *x0, const int8_t *x1, int8_t *y) {
  for (int32_t i = 0; i < count; ++i) {
    const int32_t left = hone_scaled((x0[i] - a.zero) * (1 << headroom), a.multiplier, a.shift);
    const int32_t right =
        hone_scaled((x1[one_b ? 0 : i] - b.zero) * (1 << headroom), b.multiplier, b.shift);
    const int32_t sum = (int32_t)((uint32_t)left + (uint32_t)(sign * right));
    y[i] = (int8_t)hone_placed(hone_scaled(sum, to.multiplier, to.shift), to.zero, low, high);
  }
}

HONE_INLINE void hone_multiply(int32_t count, int one_b, int32_t a_zero, int32_t b_zero,
                               hone_operand to, int32_t low, int32_t high, const int8_t *x0,
                               const int8_t *x1, int8_t *y) {
  for (int32_t i = 0; i < count; ++i) {
    const int32_t product = (x0[i] - a_zero) * (x1[one_b ? 0 : i] - b_zero);
    y[i] = (int8_t)hone_placed(hone_scaled(product, to.multiplier, to.shift), to.zero, low, high);
  }
}
