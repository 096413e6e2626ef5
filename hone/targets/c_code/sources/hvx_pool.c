/* Means and largest values under windows, of 128 channels at a time, as of hone_pool. */

/* The taps of one window that lie in the image. */
typedef struct {
  int32_t first_h, last_h, first_w, last_w;
  int32_t all; /* That a mean is of. */
} hone_hvx_inside;

/* sum / all, ties away from zero, for less than 4096: `part` is 2^31 / all, rounded up. */
HONE_INLINE hone_v hone_v_mean(hone_v sum, int32_t all, int32_t part) {
  const hone_v sign = hone_v_sign(sum);
  const hone_v size = hone_v_sub(hone_v_xor(sum, sign), sign);
  const hone_v2 product = hone_v_product(hone_v_add(size, hone_v_words(all / 2)), hone_v_words(part));
  const hone_v mean = hone_v_add(hone_v_shift_left(product.high, 1), hone_v_top_bits(product.low));
  return hone_v_sub(hone_v_xor(mean, sign), sign);
}

HONE_INLINE hone_v hone_hvx_largest(hone_window s, hone_hvx_inside t, const int8_t *from,
                                    const int8_t *end) {
  hone_v y = hone_v_bytes(-128);
  for (int32_t i = t.first_h; i < t.last_h; ++i) {
    const int8_t *const row = from + i * s.dilation_h * s.in_w * s.in_c;
    for (int32_t j = t.first_w; j < t.last_w; ++j) {
      y = hone_v_most(y, hone_v_load_before(row + j * s.dilation_w * s.in_c, end));
    }
  }
  return y;
}

HONE_INLINE hone_v hone_hvx_mean(hone_window s, hone_hvx_inside t, int32_t zero, int32_t part,
                                 const int8_t *from, const int8_t *end) {
  const int32_t inside = (t.last_h - t.first_h) * (t.last_w - t.first_w);
  hone_v sums[4], x[4];
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) sums[q] = hone_v_words((t.all - inside) * zero);
  for (int32_t i = t.first_h; i < t.last_h; ++i) {
    const int8_t *const row = from + i * s.dilation_h * s.in_w * s.in_c;
    for (int32_t j = t.first_w; j < t.last_w; ++j) {
      hone_v_widened(hone_v_load_before(row + j * s.dilation_w * s.in_c, end), x);
      HONE_UNROLL for (int32_t q = 0; q < 4; ++q) sums[q] = hone_v_add(sums[q], x[q]);
    }
  }
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    if (t.all > 1) sums[q] = hone_v_mean(sums[q], t.all, part);
  }
  return hone_v_bytes_of(sums[0], sums[1], sums[2], sums[3]);
}

HONE_INLINE void hone_hvx_pool(hone_window s, int average, int padded, int32_t pad_end_h,
                               int32_t pad_end_w, int32_t zero, int32_t low, int32_t high,
                               const int8_t *x, int8_t *y) {
  const int8_t *const x_end = x + s.images * s.in_h * s.in_w * s.in_c;
  const int8_t *const y_end = y + s.images * s.out_h * s.out_w * s.in_c;
  const hone_v lowest = hone_v_bytes(low), highest = hone_v_bytes(high);
  int32_t of = 0, part = 0;
  for (int32_t image = 0; image < s.images; ++image) {
    for (int32_t row = 0; row < s.out_h; ++row) {
      const int32_t top = row * s.stride_h - s.pad_h;
      for (int32_t column = 0; column < s.out_w; ++column) {
        const int32_t left = column * s.stride_w - s.pad_w;
        hone_hvx_inside t = {hone_first_tap(top, s.dilation_h),
                             hone_last_tap(top, s.dilation_h, s.in_h, s.kernel_h),
                             hone_first_tap(left, s.dilation_w),
                             hone_last_tap(left, s.dilation_w, s.in_w, s.kernel_w), 0};
        t.all = padded ? hone_taps_of_mean(s, pad_end_h, pad_end_w, top, left)
                       : (t.last_h - t.first_h) * (t.last_w - t.first_w);
        if (average && t.all != of && t.all > 1) {
          of = t.all;
          part = (int32_t)((0x80000000u + (uint32_t)of - 1) / (uint32_t)of);
        }
        const int8_t *const from = x + (top * s.in_w + left) * s.in_c;
        for (int32_t c = 0; c < s.in_c; c += 128) {
          const hone_v found = average ? hone_hvx_mean(s, t, zero, part, from + c, x_end)
                                       : hone_hvx_largest(s, t, from + c, x_end);
          const hone_v result = hone_v_least(hone_v_most(found, lowest), highest);
          if (y + c + 128 <= y_end) { /* What is written behind a pixel is of the next one. */
            hone_v_store_any(y + c, result);
          } else {
            hone_v_put(y + c, result, s.in_c - c < 128 ? s.in_c - c : 128);
          }
        }
        y += s.in_c;
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
