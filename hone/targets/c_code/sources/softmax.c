/* Softmax of rows: `exponentials` of how far a value lies below the largest; sums have 12 integer bits. */
HONE_INLINE int32_t hone_times_fixed(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN) return INT32_MAX;
  return (int32_t)(((int64_t)a * b + (1ll << 30)) >> 31);
}
HONE_INLINE int32_t hone_times_power(int32_t x, int32_t bits) {
  const int64_t shifted = (int64_t)x * (1ll << bits);
  return shifted > INT32_MAX ? INT32_MAX : shifted < INT32_MIN ? INT32_MIN : (int32_t)shifted;
}
/* 1 / (1 + x) for x in [0, 1]: three steps of Newton's method from 48/17 - 32/17 * d. */
HONE_INLINE int32_t hone_one_over_one_plus(int32_t x) {
  const int64_t sum = (int64_t)x + INT32_MAX;
  const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t y = (int32_t)(1515870810u + (uint32_t)hone_times_fixed(half, -1010580540));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = (int32_t)((1u << 29) - (uint32_t)hone_times_fixed(half, y));
    y = (int32_t)((uint32_t)y + (uint32_t)hone_times_power(hone_times_fixed(y, error), 2));
  }
  return hone_times_power(y, 1);
}

/* By what exponentials are multiplied, and divided by a power of two, so that those of this sum make 256. */
typedef struct {
  int32_t reciprocal, shift; /* Of at least 4. */
} hone_sum_scale;
HONE_INLINE hone_sum_scale hone_sum_scale_of(uint32_t sum) {
  int32_t headroom = 0;
  while (headroom < 31 && (sum >> (31 - headroom)) == 0u) ++headroom;
  const hone_sum_scale scale = {
      hone_one_over_one_plus((int32_t)((sum << headroom) - (1u << 31))), 12 - headroom + 31 - 8};
  return scale;
}

HONE_INLINE void hone_softmax(int32_t rows, int32_t columns, const int32_t *exponentials,
                              const int8_t *x, int8_t *y) {
  for (int32_t row = 0; row < rows; ++row) {
    int32_t largest = -128;
    for (int32_t c = 0; c < columns; ++c) largest = x[c] > largest ? x[c] : largest;
    uint32_t sum = 0;
    for (int32_t c = 0; c < columns; ++c) {
      sum += (uint32_t)hone_divided_by_power(exponentials[largest - x[c]], 12);
    }
    const hone_sum_scale scale = hone_sum_scale_of(sum);
    for (int32_t c = 0; c < columns; ++c) {
      int32_t value = hone_times_fixed(scale.reciprocal, exponentials[largest - x[c]]);
      value = scale.shift > 31 ? 0 : hone_divided_by_power(value, scale.shift);
      y[c] = (int8_t)hone_placed(value, -128, -128, 127);
    }
    x += columns;
    y += columns;
  }
}
