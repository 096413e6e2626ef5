/* Convolutions of every channel by itself, 128 bytes of a row at a time: where windows step by one pixel these are
   channels of as many pixels as they come to, of two rows at a time where they step by one row. Of the weights
   four taps of a channel make a word; channels are there once more behind the last, so that 128 can be read from
   each one on, and so are they in what becomes of sums. `scratch` has as many rows as are read at a time, and
   what is read behind the last. */
typedef struct {
  hone_v part[4];
} hone_v4;

/* Four taps of 128 channels side by side; those that are not there have weights of 0. */
HONE_INLINE hone_v4 hone_hvx_taps(const int8_t *x, int32_t next, int32_t taps) {
  const hone_v smallest = hone_v_bytes(-128);
  const hone_v a = hone_v_xor(hone_v_load_any(x), smallest);
  const hone_v b = taps > 1 ? hone_v_xor(hone_v_load_any(x + next), smallest) : a;
  const hone_v c = taps > 2 ? hone_v_xor(hone_v_load_any(x + 2 * next), smallest) : a;
  const hone_v d = taps > 3 ? hone_v_xor(hone_v_load_any(x + 3 * next), smallest) : a;
  const hone_v2 ab = hone_v_mixed(a, b, 1), cd = hone_v_mixed(c, d, 1);
  const hone_v2 low = hone_v_mixed(ab.low, cd.low, 2), high = hone_v_mixed(ab.high, cd.high, 2);
  const hone_v4 y = {{low.low, low.high, high.low, high.high}};
  return y;
}

HONE_INLINE void hone_hvx_add_taps(hone_v *sums, hone_v4 x, const int8_t *weights) {
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    sums[q] = hone_v_dots(sums[q], x.part[q], hone_v_load_any(weights + 128 * q));
  }
}

/* Results of `count` rows: one, or two. */
HONE_INLINE void hone_hvx_depthwise_bytes(hone_window s, const int8_t *const *rows, int32_t from,
                                          const int8_t *weights, hone_hvx_finish finish,
                                          int32_t channel, int32_t count, int8_t *to,
                                          const int8_t *end, int32_t bytes) {
  const int32_t next = s.dilation_w * s.in_c, step = 4 * (s.in_c + 128);
  const int32_t groups = (s.kernel_w + 3) / 4;
  hone_v sums[2][4];
  weights += 4 * channel;
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    sums[0][q] = sums[1][q] = hone_v_load_any(finish.bias + channel + 32 * q);
  }
  HONE_UNROLL for (int32_t i = 0; i < s.kernel_h + count - 1; ++i) {
    HONE_UNROLL for (int32_t g = 0; g < groups; ++g) {
      const hone_v4 x = hone_hvx_taps(rows[i] + from + 4 * g * next, next, s.kernel_w - 4 * g);
      if (i < s.kernel_h) hone_hvx_add_taps(sums[0], x, weights + (i * groups + g) * step);
      if (count > 1 && i > 0) {
        hone_hvx_add_taps(sums[1], x, weights + ((i - 1) * groups + g) * step);
      }
    }
  }
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    const hone_hvx_scale scale = hone_hvx_scale_at(finish, channel + 32 * q);
    HONE_UNROLL for (int32_t i = 0; i < count; ++i) {
      sums[i][q] = hone_hvx_scaled(finish, scale, sums[i][q]);
    }
  }
  HONE_UNROLL for (int32_t i = 0; i < count; ++i) {
    const hone_v y = hone_hvx_placed(finish, sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    int8_t *const there = to + i * s.out_w * s.in_c;
    if (bytes == 128 || (i + 1 == count && there + 128 <= end)) {
      hone_v_store_any(there, y);
    } else {
      hone_v_put(there, y, bytes);
    }
  }
}

/* `count` rows of results. What is written behind a pixel, or the last row, is of the next one. */
HONE_INLINE void hone_hvx_depthwise_row(hone_window s, const int8_t *const *rows,
                                        const int8_t *weights, hone_hvx_finish finish,
                                        int32_t count, int8_t *y, const int8_t *end) {
  if (s.stride_w == 1) {
    const int32_t bytes = s.out_w * s.in_c;
    int32_t channel = 0;
    for (int32_t i = 0; i < bytes; i += 128) {
      hone_hvx_depthwise_bytes(s, rows, i, weights, finish, channel, count, y + i, end,
                               bytes - i < 128 ? bytes - i : 128);
      channel += 128;
      while (channel >= s.in_c) channel -= s.in_c;
    }
    return;
  }
  for (int32_t column = 0; column < s.out_w; ++column) {
    for (int32_t c = 0; c < s.in_c; c += 128) {
      hone_hvx_depthwise_bytes(s, rows, column * s.stride_w * s.in_c + c, weights, finish, c, count,
                               y + column * s.in_c + c, end, s.in_c - c < 128 ? s.in_c - c : 128);
    }
  }
}

HONE_INLINE void hone_hvx_depthwise(hone_window s, int8_t zero, const int8_t *x,
                                    const int8_t *weights, hone_hvx_finish finish, int8_t *y,
                                    int8_t *scratch) {
  const int32_t two = s.stride_h == 1 && s.dilation_h == 1 && s.stride_w == 1;
  const int8_t *const x_end = x + s.images * s.in_h * s.in_w * s.in_c;
  const int8_t *const end = y + s.images * s.out_h * s.out_w * s.in_c;
  for (int32_t image = 0; image < s.images; ++image) {
    hone_hvx_rows r = hone_hvx_rows_of(s, scratch, hone_reach_h(s) + two, x_end);
    for (int32_t row = 0; row < s.out_h;) {
      const int32_t top = row * s.stride_h - s.pad_h;
      const int8_t *rows[HONE_MOST_ROWS + 1];
      hone_hvx_fetch(&r, s, x, zero, top);
      for (int32_t i = 0; i < s.kernel_h + two; ++i) {
        rows[i] = hone_hvx_row(&r, s, top + i * s.dilation_h);
      }
      if (two && row + 1 < s.out_h) {
        hone_hvx_depthwise_row(s, rows, weights, finish, 2, y, end);
        y += 2 * s.out_w * s.in_c;
        row += 2;
      } else {
        hone_hvx_depthwise_row(s, rows, weights, finish, 1, y, end);
        y += s.out_w * s.in_c;
        ++row;
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
