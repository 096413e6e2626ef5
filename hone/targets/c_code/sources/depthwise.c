/* Convolutions of every channel by itself. Weights are pairs of 16 bits, of two taps one behind the other:
   for four channels 0, 2, 1 and 3 of each pair of taps, then the next four channels. */
#define HONE_MOST_TAPS 64

/* `left` of four channels of one pixel. `inside`: its window begins at `base`, otherwise its taps are where
   `taps` says. */
HONE_INLINE void hone_depthwise_four(hone_window s, int inside, int32_t left, const int8_t *base,
                                     const int8_t *const *taps, int32_t c, const uint32_t *weights,
                                     hone_finish finish, int8_t *y) {
  const int32_t count = s.kernel_h * s.kernel_w;
  int32_t sums[4] = {0, 0, 0, 0};
  for (int32_t i = 0; i < left; ++i) sums[i] = finish.bias[c + i];
#pragma GCC unroll 32
  for (int32_t t = 0; t < count; t += 2) {
    const int32_t u = t + 1 < count ? t + 1 : t; /* An odd one meets weights of zero. */
    const int8_t *const p = inside ? base + ((t / s.kernel_w) * s.dilation_h * s.in_w +
                                             (t % s.kernel_w) * s.dilation_w) * s.in_c
                                   : taps[t];
    const int8_t *const q = inside ? base + ((u / s.kernel_w) * s.dilation_h * s.in_w +
                                             (u % s.kernel_w) * s.dilation_w) * s.in_c
                                   : taps[u];
    const uint32_t a = left == 4 ? hone_word(p + c) : hone_part_word(p + c, left);
    const uint32_t b = left == 4 ? hone_word(q + c) : hone_part_word(q + c, left);
    const uint32_t a_even = hone_even_bytes(a), a_odd = hone_odd_bytes(a);
    const uint32_t b_even = hone_even_bytes(b), b_odd = hone_odd_bytes(b);
    sums[0] = hone_add_pair(hone_low_halves(a_even, b_even), weights[0], sums[0]);
    sums[2] = hone_add_pair(hone_high_halves(a_even, b_even), weights[1], sums[2]);
    sums[1] = hone_add_pair(hone_low_halves(a_odd, b_odd), weights[2], sums[1]);
    sums[3] = hone_add_pair(hone_high_halves(a_odd, b_odd), weights[3], sums[3]);
    weights += 4;
  }
  for (int32_t i = 0; i < left; ++i) y[c + i] = hone_finished(finish, sums[i], c + i);
}

HONE_INLINE void hone_depthwise_pixel(hone_window s, int inside, const int8_t *base,
                                      const int8_t *const *taps, const uint32_t *weights,
                                      hone_finish finish, int8_t *y) {
  const int32_t words = (s.kernel_h * s.kernel_w + 1) / 2 * 4; /* Of four channels. */
  int32_t c = 0;
#pragma GCC unroll 1
  for (; c + 4 <= s.in_c; c += 4) {
    hone_depthwise_four(s, inside, 4, base, taps, c, weights, finish, y);
    weights += words;
  }
  if (c < s.in_c) {
    hone_depthwise_four(s, inside, s.in_c - c, base, taps, c, weights, finish, y);
  }
}

/* `nothing` has in_c bytes: what lies outside of the image. */
HONE_INLINE void hone_depthwise(hone_window s, int8_t zero, const int8_t *x,
                                const uint32_t *weights, hone_finish finish, int8_t *y,
                                int8_t *nothing) {
  const int8_t *taps[HONE_MOST_TAPS];
  memset(nothing, zero, (size_t)s.in_c);
  for (int32_t image = 0; image < s.images; ++image) {
    for (int32_t row = 0; row < s.out_h; ++row) {
      for (int32_t column = 0; column < s.out_w; ++column) {
        const int32_t top = row * s.stride_h - s.pad_h;
        const int32_t left = column * s.stride_w - s.pad_w;
        const int8_t *const base = x + (top * s.in_w + left) * s.in_c;
        if (top >= 0 && left >= 0 && top + (s.kernel_h - 1) * s.dilation_h < s.in_h &&
            left + (s.kernel_w - 1) * s.dilation_w < s.in_w) {
          hone_depthwise_pixel(s, 1, base, taps, weights, finish, y);
        } else {
          for (int32_t t = 0; t < s.kernel_h * s.kernel_w; ++t) {
            const int32_t h = top + t / s.kernel_w * s.dilation_h;
            const int32_t w = left + t % s.kernel_w * s.dilation_w;
            const int in = h >= 0 && h < s.in_h && w >= 0 && w < s.in_w;
            taps[t] = in ? x + (h * s.in_w + w) * s.in_c : nothing;
          }
          hone_depthwise_pixel(s, 0, base, taps, weights, finish, y);
        }
        y += s.out_c;
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
