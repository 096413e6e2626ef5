/* What lies under one window, `zero` in the padding: kernel_h * kernel_w * in_c bytes. */
HONE_INLINE void hone_gather(hone_window s, const int8_t *x, int32_t top, int32_t left, int8_t zero,
                             int8_t *to) {
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    const int32_t h = top + i * s.dilation_h;
    const int8_t *const from = x + (h * s.in_w + left) * s.in_c;
    if (h < 0 || h >= s.in_h) {
      memset(to, zero, (size_t)(s.kernel_w * s.in_c));
    } else if (s.dilation_w == 1 && left >= 0 && left + s.kernel_w <= s.in_w) {
      memcpy(to, from, (size_t)(s.kernel_w * s.in_c));
    } else {
      for (int32_t j = 0; j < s.kernel_w; ++j) {
        const int32_t w = left + j * s.dilation_w;
        if (w < 0 || w >= s.in_w) {
          memset(to + j * s.in_c, zero, (size_t)s.in_c);
        } else {
          memcpy(to + j * s.in_c, from + j * s.dilation_w * s.in_c, (size_t)s.in_c);
        }
      }
    }
    to += s.kernel_w * s.in_c;
  }
}

/* The same as a column. Rows of whole words inside of the image are taken where they lie, others by way of
   `bytes`. */
HONE_INLINE void hone_column(hone_window s, const int8_t *x, int32_t pixel, int8_t zero,
                             int8_t *bytes, int32_t columns, uint32_t *to) {
  const int32_t row_bytes = s.kernel_w * s.in_c;
  const int32_t top = pixel / s.out_w * s.stride_h - s.pad_h;
  const int32_t left = pixel % s.out_w * s.stride_w - s.pad_w;
  const int inside = s.dilation_w == 1 && top >= 0 && left >= 0 && left + s.kernel_w <= s.in_w &&
                     top + (s.kernel_h - 1) * s.dilation_h < s.in_h;
  if (row_bytes % 4 == 0 && inside) {
    const int8_t *from = x + (top * s.in_w + left) * s.in_c;
    for (int32_t i = 0; i < s.kernel_h; ++i) {
      hone_put(from, row_bytes, columns, to);
      from += s.dilation_h * s.in_w * s.in_c;
      to += hone_words_of(columns, row_bytes);
    }
  } else {
    hone_gather(s, x, top, left, zero, bytes);
    hone_put(bytes, (s.kernel_h * row_bytes + 3) / 4 * 4, columns, to);
  }
}

/* By so many columns at a time. `scratch` has those, and behind them the bytes of one. */
HONE_INLINE void hone_conv_by(int32_t columns, hone_window s, int8_t zero, const int8_t *x,
                              const uint32_t *weights, hone_finish finish, int8_t *y,
                              uint32_t *scratch) {
  const int32_t k = (s.kernel_h * s.kernel_w * s.in_c + 7) / 8 * 8;
  const int32_t pixels = s.out_h * s.out_w;
  int8_t *const bytes = (int8_t *)(scratch + k / 2 * columns);
  for (int32_t image = 0; image < s.images; ++image) {
#pragma GCC unroll 1
    for (int32_t pixel = 0; pixel < pixels; pixel += columns) {
      const int32_t left = pixels - pixel; /* The last of fewer is computed again. */
      const int32_t second = left > 1 ? 1 : 0, third = left > 2 ? 2 : second;
#pragma GCC unroll 1
      for (int32_t i = 0; i < columns; ++i) {
        const int32_t next = i == 0 ? 0 : i == 1 ? second : third;
        hone_column(s, x, pixel + next, zero, bytes, columns, hone_column_of(scratch, columns, k, i));
      }
      int8_t *const to = y + pixel * s.out_c;
      hone_columns(columns, scratch, k, s.out_c, weights, finish, to, to + second * s.out_c,
                   to + third * s.out_c);
    }
    x += s.in_h * s.in_w * s.in_c;
    y += pixels * s.out_c;
  }
}

HONE_INLINE void hone_conv(hone_window s, int8_t zero, const int8_t *x, const uint32_t *weights,
                           hone_finish finish, int8_t *y, uint32_t *scratch) {
  hone_conv_by(HONE_COLUMNS, s, zero, x, weights, finish, y, scratch);
}
HONE_INLINE void hone_conv_fours(hone_window s, int8_t zero, const int8_t *x,
                                 const uint32_t *weights, hone_finish finish, int8_t *y,
                                 uint32_t *scratch) {
  hone_conv_by(HONE_PAIR_COLUMNS, s, zero, x, weights, finish, y, scratch);
}
