/* Elements in another order, or some of them. */

/* Rows of a part into rows of the whole. */
HONE_INLINE void hone_copy_rows(int32_t rows, int32_t bytes, int32_t pitch, const int8_t *x,
                                int8_t *y) {
  for (int32_t row = 0; row < rows; ++row) memcpy(y + row * pitch, x + row * bytes, (size_t)bytes);
}

/* `count` elements that lie so far apart. */
HONE_INLINE int8_t *hone_copy(int32_t count, int32_t stride, const int8_t *x, int8_t *y) {
  if (stride == 1) {
    memcpy(y, x, (size_t)count);
  } else {
    for (int32_t i = 0; i < count; ++i) y[i] = x[i * stride];
  }
  return y + count;
}

/* Of each axis of the result its extent, and how far apart its elements lie in x. */
HONE_INLINE void hone_move(int32_t n0, int32_t s0, int32_t n1, int32_t s1, int32_t n2, int32_t s2,
                           int32_t n3, int32_t s3, int32_t n4, int32_t s4, int32_t n5, int32_t s5,
                           const int8_t *x, int8_t *y) {
  for (int32_t i0 = 0; i0 < n0; ++i0) {
    for (int32_t i1 = 0; i1 < n1; ++i1) {
      for (int32_t i2 = 0; i2 < n2; ++i2) {
        for (int32_t i3 = 0; i3 < n3; ++i3) {
          for (int32_t i4 = 0; i4 < n4; ++i4) {
            y = hone_copy(n5, s5, x + i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3 + i4 * s4, y);
          }
        }
      }
    }
  }
}

/* Rows of elements that lie so far apart, each from where `starts` says. */
HONE_INLINE void hone_take(int32_t rows, const int32_t *starts, int32_t count, int32_t stride,
                           const int8_t *x, int8_t *y) {
  for (int32_t row = 0; row < rows; ++row) y = hone_copy(count, stride, x + starts[row], y);
}

/* `value` around x: of each axis its extent, that of the result, and where x begins in it. */
HONE_INLINE void hone_pad(int32_t x0, int32_t y0, int32_t p0, int32_t x1, int32_t y1, int32_t p1,
                          int32_t x2, int32_t y2, int32_t p2, int32_t x3, int32_t y3, int32_t p3,
                          int32_t value, const int8_t *x, int8_t *y) {
  memset(y, value, (size_t)(y0 * y1 * y2 * y3));
  for (int32_t i0 = 0; i0 < x0; ++i0) {
    for (int32_t i1 = 0; i1 < x1; ++i1) {
      for (int32_t i2 = 0; i2 < x2; ++i2) {
        memcpy(y + (((i0 + p0) * y1 + i1 + p1) * y2 + i2 + p2) * y3 + p3, x, (size_t)x3);
        x += x3;
      }
    }
  }
}
