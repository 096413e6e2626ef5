/* Convolutions of every channel by itself, 128 bytes of a row at a time: where windows step by one pixel these are
   channels of as many pixels as they come to. Rows under the windows are copied with their padding. Of the weights
   four taps of a channel make a word; channels are there once more behind the last, so that 128 can be read from
   each one on, and so are they in what becomes of sums. `scratch` has as many rows as a window reaches, and
   what is read behind the last. */
HONE_INLINE void hone_hvx_depthwise_bytes(hone_window s, const int8_t *const *rows, int32_t from,
                                          const int8_t *weights, hone_hvx_finish finish,
                                          int32_t channel, int8_t *to, const int8_t *end,
                                          int32_t bytes) {
  const hone_v smallest = hone_v_bytes(-128);
  const int32_t next = s.dilation_w * s.in_c;
  hone_v sums[4];
  weights += 4 * channel;
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    sums[q] = hone_v_load_any(finish.bias + channel + 32 * q);
  }
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    const int8_t *x = rows[i] + from;
    HONE_UNROLL for (int32_t j = 0; j < s.kernel_w; j += 4) {
      /* Taps that are not there have weights of 0. */
      const hone_v a = hone_v_xor(hone_v_load_any(x), smallest);
      const hone_v b = j + 1 < s.kernel_w ? hone_v_xor(hone_v_load_any(x + next), smallest) : a;
      const hone_v c = j + 2 < s.kernel_w ? hone_v_xor(hone_v_load_any(x + 2 * next), smallest) : a;
      const hone_v d = j + 3 < s.kernel_w ? hone_v_xor(hone_v_load_any(x + 3 * next), smallest) : a;
      const hone_v2 ab = hone_v_mixed(a, b, 1), cd = hone_v_mixed(c, d, 1);
      const hone_v2 low = hone_v_mixed(ab.low, cd.low, 2), high = hone_v_mixed(ab.high, cd.high, 2);
      sums[0] = hone_v_dots(sums[0], low.low, hone_v_load_any(weights));
      sums[1] = hone_v_dots(sums[1], low.high, hone_v_load_any(weights + 128));
      sums[2] = hone_v_dots(sums[2], high.low, hone_v_load_any(weights + 256));
      sums[3] = hone_v_dots(sums[3], high.high, hone_v_load_any(weights + 384));
      x += 4 * next;
      weights += 4 * (s.in_c + 128);
    }
  }
  HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
    sums[q] = hone_hvx_scaled(finish, hone_hvx_scale_at(finish, channel + 32 * q), sums[q]);
  }
  const hone_v y = hone_hvx_placed(finish, sums[0], sums[1], sums[2], sums[3]);
  if (to + 128 <= end) {
    hone_v_store_any(to, y);
  } else {
    hone_v_put(to, y, bytes);
  }
}

/* One row of results. What is written behind a pixel, or a row, is of the next one. */
HONE_INLINE void hone_hvx_depthwise_row(hone_window s, const int8_t *const *rows,
                                        const int8_t *weights, hone_hvx_finish finish, int8_t *y,
                                        const int8_t *end) {
  if (s.stride_w == 1) {
    const int32_t bytes = s.out_w * s.in_c;
    int32_t channel = 0;
    for (int32_t i = 0; i < bytes; i += 128) {
      hone_hvx_depthwise_bytes(s, rows, i, weights, finish, channel, y + i, end,
                               bytes - i < 128 ? bytes - i : 128);
      channel += 128;
      while (channel >= s.in_c) channel -= s.in_c;
    }
    return;
  }
  for (int32_t column = 0; column < s.out_w; ++column) {
    for (int32_t c = 0; c < s.in_c; c += 128) {
      hone_hvx_depthwise_bytes(s, rows, column * s.stride_w * s.in_c + c, weights, finish, c,
                               y + column * s.in_c + c, end, s.in_c - c < 128 ? s.in_c - c : 128);
    }
  }
}

HONE_INLINE void hone_hvx_depthwise(hone_window s, int8_t zero, const int8_t *x,
                                    const int8_t *weights, hone_hvx_finish finish, int8_t *y,
                                    int8_t *scratch) {
  const int32_t reach = hone_reach_h(s), bytes = hone_plane_w(s) * s.in_c;
  const int8_t *const end = y + s.images * s.out_h * s.out_w * s.in_c;
  for (int32_t image = 0; image < s.images; ++image) {
    int32_t next = -s.pad_h; /* The row to copy. */
    for (int32_t row = 0; row < s.out_h; ++row) {
      const int32_t top = row * s.stride_h - s.pad_h;
      const int8_t *rows[HONE_MOST_ROWS];
      for (next = next < top ? top : next; next < top + reach; ++next) {
        hone_put_row_of(s, x, next, zero, scratch + (next + s.pad_h) % reach * bytes);
      }
      for (int32_t i = 0; i < s.kernel_h; ++i) {
        rows[i] = scratch + (top + i * s.dilation_h + s.pad_h) % reach * bytes;
      }
      hone_hvx_depthwise_row(s, rows, weights, finish, y, end);
      y += s.out_w * s.in_c;
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
