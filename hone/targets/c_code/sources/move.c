/* Rows of a part into rows of the whole. */
HONE_INLINE void hone_copy_rows(int32_t rows, int32_t bytes, int32_t pitch, const int8_t *x,
                                int8_t *y) {
  for (int32_t row = 0; row < rows; ++row) memcpy(y + row * pitch, x + row * bytes, (size_t)bytes);
}

/* An image with a border of `value`: top, left, and what the extents of the result leave below and to the
   right. */
HONE_INLINE void hone_pad(int32_t images, int32_t in_h, int32_t in_w, int32_t channels,
                          int32_t out_h, int32_t out_w, int32_t top, int32_t left, int8_t value,
                          const int8_t *x, int8_t *y) {
  for (int32_t image = 0; image < images; ++image) {
    memset(y, value, (size_t)(out_h * out_w * channels));
    for (int32_t row = 0; row < in_h; ++row) {
      memcpy(y + ((row + top) * out_w + left) * channels, x + row * in_w * channels,
             (size_t)(in_w * channels));
    }
    x += in_h * in_w * channels;
    y += out_h * out_w * channels;
  }
}
