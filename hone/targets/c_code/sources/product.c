/* Products of bytes: rows of an image, or what lies under its windows, times weights.
   Weights lie in panels of two output channels, a word of four values of k of each in turn; k is a multiple
   of four, filled up with zeros, and so is the number of channels of two. */

/* Bytes as values of 16 bits: of every four, 0 and 2, then 1 and 3; `pitch` words from four to four. */
HONE_INLINE void hone_widen(const int8_t *x, int32_t k, uint32_t *to, int32_t pitch) {
  for (int32_t i = 0; i < k; i += 4) {
    const uint32_t word = hone_word(x + i);
    to[0] = hone_even_bytes(word);
    to[1] = hone_odd_bytes(word);
    to += pitch;
  }
}

/* Adds the products of two channels with two columns, side by side in `columns`, to the sums: first channel,
   second, of the first column and then of the second. By itself, so that all of it stays in registers. */
static __attribute__((noinline, unused)) void hone_two_by_two(const uint32_t *weights,
                                                      const uint32_t *columns, const uint32_t *end,
                                                      int32_t *sums) {
  int32_t a0 = sums[0], b0 = sums[1], a1 = sums[2], b1 = sums[3];
#pragma GCC unroll 1
  do {
    const uint32_t a = weights[0], b = weights[1];
    const uint32_t c0 = columns[0], c1 = columns[1], d0 = columns[2], d1 = columns[3];
    const uint32_t a_even = hone_even_bytes(a), b_even = hone_even_bytes(b);
    a0 = hone_add_pair(a_even, c0, a0);
    b0 = hone_add_pair(b_even, c0, b0);
    a1 = hone_add_pair(a_even, d0, a1);
    b1 = hone_add_pair(b_even, d0, b1);
    const uint32_t a_odd = hone_odd_bytes(a), b_odd = hone_odd_bytes(b);
    a0 = hone_add_pair(a_odd, c1, a0);
    b0 = hone_add_pair(b_odd, c1, b0);
    a1 = hone_add_pair(a_odd, d1, a1);
    b1 = hone_add_pair(b_odd, d1, b1);
    weights += 2;
    columns += 4;
  } while (weights != end);
  sums[0] = a0;
  sums[1] = b0;
  sums[2] = a1;
  sums[3] = b1;
}

/* Two columns times all channels. */
HONE_INLINE void hone_two_columns(const uint32_t *columns, int32_t k, int32_t channels,
                                  const uint32_t *weights, hone_finish finish, int8_t *y0,
                                  int8_t *y1) {
  for (int32_t n = 0; n < channels; n += 2) {
    int32_t sums[4] = {finish.bias[n], finish.bias[n + 1], finish.bias[n], finish.bias[n + 1]};
    hone_two_by_two(weights, columns, weights + k / 2, sums);
    weights += k / 2;
    y0[n] = hone_finished(finish, sums[0], n);
    y1[n] = hone_finished(finish, sums[2], n);
    if (n + 1 == channels) break;
    y0[n + 1] = hone_finished(finish, sums[1], n + 1);
    y1[n + 1] = hone_finished(finish, sums[3], n + 1);
  }
}

/* A fully connected layer of one row: `scratch` has k values of 16 bits. */
HONE_INLINE void hone_dense(const int8_t *x, int32_t depth, int32_t channels,
                            const uint32_t *weights, hone_finish finish, int8_t *y,
                            uint32_t *scratch) {
  const int32_t whole = depth / 4 * 4;
  const int32_t k = (depth + 3) / 4 * 4;
  hone_widen(x, whole, scratch, 2);
  if (whole != depth) {
    const uint32_t word = hone_part_word(x + whole, depth - whole);
    scratch[whole / 2] = hone_even_bytes(word);
    scratch[whole / 2 + 1] = hone_odd_bytes(word);
  }
  for (int32_t n = 0; n < channels; n += 2) {
    int32_t a = finish.bias[n], b = finish.bias[n + 1];
    const uint32_t *c = scratch;
    const uint32_t *const end = weights + k / 2;
#pragma GCC unroll 1
    do {
      const uint32_t wa = weights[0], wb = weights[1];
      a = hone_add_pair(hone_even_bytes(wa), c[0], a);
      b = hone_add_pair(hone_even_bytes(wb), c[0], b);
      a = hone_add_pair(hone_odd_bytes(wa), c[1], a);
      b = hone_add_pair(hone_odd_bytes(wb), c[1], b);
      weights += 2;
      c += 2;
    } while (weights != end);
    y[n] = hone_finished(finish, a, n);
    if (n + 1 != channels) y[n + 1] = hone_finished(finish, b, n + 1);
  }
}

/* Windows of one pixel that take every pixel, of channels in whole words: `scratch` has 2 * channels of 16
   bits. */
HONE_INLINE void hone_pixels(const int8_t *x, int32_t pixels, int32_t in_c, int32_t out_c,
                             const uint32_t *weights, hone_finish finish, int8_t *y,
                             uint32_t *scratch) {
  for (int32_t pixel = 0; pixel < pixels; pixel += 2) {
    const int32_t next = pixel + 1 < pixels ? 1 : 0; /* The last of an odd number is its own. */
    hone_widen(x, in_c, scratch, 4);
    hone_widen(x + next * in_c, in_c, scratch + 2, 4);
    hone_two_columns(scratch, in_c, out_c, weights, finish, y, y + next * out_c);
    x += 2 * in_c;
    y += 2 * out_c;
  }
}

/* What lies under one window, `zero` in the padding: kernel_h * kernel_w * in_c bytes. */
HONE_INLINE void hone_gather(hone_window s, const int8_t *x, int32_t row, int32_t column,
                             int8_t zero, int8_t *to) {
  const int32_t top = row * s.stride_h - s.pad_h;
  const int32_t left = column * s.stride_w - s.pad_w;
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

/* `scratch` has 2 * k values of 16 bits, and behind them k bytes. */
HONE_INLINE void hone_conv(hone_window s, int8_t zero, const int8_t *x, const uint32_t *weights,
                           hone_finish finish, int8_t *y, uint32_t *scratch) {
  const int32_t depth = s.kernel_h * s.kernel_w * s.in_c;
  const int32_t k = (depth + 3) / 4 * 4;
  const int32_t pixels = s.out_h * s.out_w;
  int8_t *const bytes = (int8_t *)(scratch + k);
  memset(bytes + k - 4, 0, 4);
  for (int32_t image = 0; image < s.images; ++image) {
    for (int32_t pixel = 0; pixel < pixels; pixel += 2) {
      const int32_t next = pixel + 1 < pixels ? 1 : 0;
      for (int32_t i = 0; i < 2; ++i) {
        const int32_t at = pixel + i * next;
        hone_gather(s, x, at / s.out_w, at % s.out_w, zero, bytes);
        hone_widen(bytes, k, scratch + 2 * i, 4);
      }
      hone_two_columns(scratch, k, s.out_c, weights, finish, y, y + next * s.out_c);
      y += (1 + next) * s.out_c;
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
