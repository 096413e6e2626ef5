/* Means of [outer][count][inner][more][last] over `count` and `more`; `offset` is the zero point of x, as many
   times. */
HONE_INLINE void hone_mean(int32_t outer, int32_t count, int32_t inner, int32_t more, int32_t last,
                           int32_t offset, int32_t multiplier, int32_t shift, int32_t zero,
                           int32_t low, int32_t high, const int8_t *x, int8_t *y) {
  for (int32_t o = 0; o < outer; ++o) {
    for (int32_t i = 0; i < inner; ++i) {
      for (int32_t l = 0; l < last; ++l) {
        int32_t sum = -offset;
        for (int32_t c = 0; c < count; ++c) {
          for (int32_t m = 0; m < more; ++m) sum += x[((c * inner + i) * more + m) * last + l];
        }
        *y++ = (int8_t)hone_placed(hone_scaled(sum, multiplier, shift), zero, low, high);
      }
    }
    x += count * inner * more * last;
  }
}
