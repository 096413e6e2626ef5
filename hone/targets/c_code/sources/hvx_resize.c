/* Images blended between pixels, as of hone_resize, 128 channels at a time. */

/* 1024 times what lies `part` 1024ths on the way from one to the other. */
HONE_INLINE void hone_hvx_between(const hone_v *one, const hone_v *other, int32_t part, hone_v *y) {
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    const hone_v way = hone_v_times(hone_v_sub(other[q], one[q]), part);
    y[q] = hone_v_add(hone_v_shift_left(one[q], 10), way);
  }
}

/* As hone_blended. */
HONE_INLINE hone_v hone_hvx_blended(hone_v sum) {
  const hone_v half = hone_v_words(1 << 19), bits = hone_v_words(20);
#if HONE_ROUNDING == 1
  return hone_v_shift_right(hone_v_add(sum, half), bits);
#else
  const hone_v sign = hone_v_sign(sum);
  const hone_v size = hone_v_sub(hone_v_xor(sum, sign), sign);
  const hone_v blended = hone_v_shift_right(hone_v_add(size, half), bits);
  return hone_v_sub(hone_v_xor(blended, sign), sign);
#endif
}

/* Two pixels of a row, blended. */
HONE_INLINE void hone_hvx_across(const int8_t *left, const int8_t *right, const int8_t *x_end,
                                 int32_t part, hone_v *y) {
  hone_v one[4], other[4];
  hone_v_widened(hone_v_load_before(left, x_end), one);
  hone_v_widened(hone_v_load_before(right, x_end), other);
  hone_hvx_between(one, other, part, y);
}

HONE_INLINE void hone_hvx_resize(int32_t images, int32_t in_h, int32_t in_w, int32_t channels,
                                 int32_t out_h, int32_t out_w, const int32_t *rows,
                                 const int32_t *columns, const int8_t *x, int8_t *y) {
  const int8_t *const x_end = x + images * in_h * in_w * channels;
  for (int32_t image = 0; image < images; ++image) {
    for (int32_t i = 0; i < out_h; ++i) {
      const int8_t *const top = x + rows[3 * i] * in_w * channels;
      const int8_t *const bottom = x + rows[3 * i + 1] * in_w * channels;
      for (int32_t j = 0; j < out_w; ++j) {
        const int32_t left = columns[3 * j] * channels, right = columns[3 * j + 1] * channels;
        const int32_t across = columns[3 * j + 2];
        for (int32_t c = 0; c < channels; c += 128) {
          hone_v above[4], below[4], y4[4];
          hone_hvx_across(top + left + c, top + right + c, x_end, across, above);
          hone_hvx_across(bottom + left + c, bottom + right + c, x_end, across, below);
          hone_hvx_between(above, below, rows[3 * i + 2], y4);
          HONE_UNROLL for (int32_t q = 0; q < 4; ++q) y4[q] = hone_hvx_blended(y4[q]);
          hone_hvx_put_some(y + c, hone_v_bytes_of(y4[0], y4[1], y4[2], y4[3]), channels - c);
        }
        y += channels;
      }
    }
    x += in_h * in_w * channels;
  }
}
