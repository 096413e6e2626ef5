/* Windows of one pixel that take every pixel, of channels in whole words. Results may lie where x does, if as
   many: pixels become columns before any is written. `scratch` has
   so many columns as are taken at a time. */
HONE_INLINE void hone_pixels_by(int32_t columns, const int8_t *x, int32_t pixels, int32_t in_c,
                                int32_t out_c, const uint32_t *weights, hone_finish finish,
                                int8_t *y, uint32_t *scratch) {
  const int32_t k = (in_c + 7) / 8 * 8;
  for (int32_t pixel = 0; pixel < pixels; pixel += columns) {
    const int32_t left = pixels - pixel; /* The last of fewer is computed again. */
    const int32_t second = left > 1 ? 1 : 0, third = left > 2 ? 2 : second;
#pragma GCC unroll 1
    for (int32_t i = 0; i < columns; ++i) {
      const int32_t next = i == 0 ? 0 : i == 1 ? second : third;
      hone_put(x + next * in_c, in_c, columns, hone_column_of(scratch, columns, k, i));
    }
    hone_columns(columns, scratch, k, out_c, weights, finish, y, y + second * out_c,
                 y + third * out_c);
    x += columns * in_c;
    y += columns * out_c;
  }
}

HONE_INLINE void hone_pixels(const int8_t *x, int32_t pixels, int32_t in_c, int32_t out_c,
                             const uint32_t *weights, hone_finish finish, int8_t *y,
                             uint32_t *scratch) {
  hone_pixels_by(HONE_COLUMNS, x, pixels, in_c, out_c, weights, finish, y, scratch);
}
HONE_INLINE void hone_pixels_fours(const int8_t *x, int32_t pixels, int32_t in_c, int32_t out_c,
                                   const uint32_t *weights, hone_finish finish, int8_t *y,
                                   uint32_t *scratch) {
  hone_pixels_by(HONE_PAIR_COLUMNS, x, pixels, in_c, out_c, weights, finish, y, scratch);
}
