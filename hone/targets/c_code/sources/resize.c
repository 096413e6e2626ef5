/* Images blended between pixels: of every row and column of the result the pixel before, the one behind, and
   how far it lies between them, in 1024ths. */
HONE_INLINE int8_t hone_blended(int32_t sum) {
#if HONE_ROUNDING == 1
  return (int8_t)((sum + (1 << 19)) >> 20);
#else
  return (int8_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
#endif
}

HONE_INLINE void hone_resize(int32_t images, int32_t in_h, int32_t in_w, int32_t channels,
                             int32_t out_h, int32_t out_w, const int32_t *rows,
                             const int32_t *columns, const int8_t *x, int8_t *y) {
  for (int32_t image = 0; image < images; ++image) {
    for (int32_t i = 0; i < out_h; ++i) {
      const int8_t *const top = x + rows[3 * i] * in_w * channels;
      const int8_t *const bottom = x + rows[3 * i + 1] * in_w * channels;
      const int32_t down = rows[3 * i + 2];
      for (int32_t j = 0; j < out_w; ++j) {
        const int32_t left = columns[3 * j] * channels, right = columns[3 * j + 1] * channels;
        const int32_t across = columns[3 * j + 2];
        const int32_t top_left = (1024 - down) * (1024 - across), top_right = (1024 - down) * across;
        const int32_t bottom_left = down * (1024 - across), bottom_right = down * across;
        for (int32_t c = 0; c < channels; ++c) {
          *y++ = hone_blended(top[left + c] * top_left + bottom[left + c] * bottom_left +
                              top[right + c] * top_right + bottom[right + c] * bottom_right);
        }
      }
    }
    x += in_h * in_w * channels;
  }
}
