/* Rows of a part into rows of the whole. */
HONE_INLINE void hone_copy_rows(int32_t rows, int32_t bytes, int32_t pitch, const int8_t *x,
                                int8_t *y) {
  for (int32_t row = 0; row < rows; ++row) memcpy(y + row * pitch, x + row * bytes, (size_t)bytes);
}

/* Axes in another order: of each of the result its extent, and how far apart its elements lie in x. */
HONE_INLINE void hone_transpose(int32_t n0, int32_t s0, int32_t n1, int32_t s1, int32_t n2,
                                int32_t s2, int32_t n3, int32_t s3, const int8_t *x, int8_t *y) {
  for (int32_t i0 = 0; i0 < n0; ++i0) {
    for (int32_t i1 = 0; i1 < n1; ++i1) {
      for (int32_t i2 = 0; i2 < n2; ++i2) {
        const int8_t *const from = x + i0 * s0 + i1 * s1 + i2 * s2;
        for (int32_t i3 = 0; i3 < n3; ++i3) *y++ = from[i3 * s3];
      }
    }
  }
}
