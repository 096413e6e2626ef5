/* Convolutions of every channel by itself. A channel is widened to 16 bits, into a plane with its padding, and
   the window goes over that two taps at a time. Results may lie where x does, if as many: all of a channel is
   read before any of it is written. Weights are [channels][taps]. */
typedef uint32_t __attribute__((may_alias)) hone_two;             /* Two values of 16 bits. */
typedef uint32_t __attribute__((may_alias, aligned(2))) hone_two_anywhere;

/* How many rows of the plane windows reach, how many values of a row, and how far apart rows lie: whole pairs,
   with one to read behind the last. */
HONE_INLINE int32_t hone_plane_h(hone_window s) {
  return (s.out_h - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1;
}
HONE_INLINE int32_t hone_plane_w(hone_window s) {
  return (s.out_w - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
}
HONE_INLINE int32_t hone_plane_pitch(hone_window s) { return (hone_plane_w(s) + 2) / 2 * 2; }

HONE_INLINE uint32_t hone_two_of(int32_t low, int32_t high) {
  return ((uint32_t)low & 0xffffu) | ((uint32_t)high << 16);
}

HONE_INLINE void hone_widen_channel(hone_window s, const int8_t *x, int16_t *plane) {
  const int32_t pitch = hone_plane_pitch(s);
  const int32_t rows = hone_plane_h(s) - s.pad_h, columns = hone_plane_w(s) - s.pad_w;
  const int32_t h = rows < s.in_h ? rows : s.in_h, w = columns < s.in_w ? columns : s.in_w;
  plane += s.pad_h * pitch + s.pad_w;
  for (int32_t row = 0; row < h; ++row) {
    const int8_t *from = x + row * s.in_w * s.in_c;
    int16_t *to = plane + row * pitch;
#pragma GCC unroll 8
    for (int32_t column = 0; column < w; ++column) {
      *to++ = *from;
      from += s.in_c;
    }
  }
}

/* Weights as pairs of the taps of a row, times a factor; an odd last one is with 0. */
HONE_INLINE void hone_widen_taps(hone_window s, int32_t factor, const int8_t *weights,
                                 uint32_t *pairs) {
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    for (int32_t j = 0; j < s.kernel_w; j += 2) {
      const int32_t next = j + 1 < s.kernel_w ? weights[j + 1] : 0;
      *pairs++ = hone_two_of(factor * weights[j], factor * next);
    }
    weights += s.kernel_w;
  }
}

/* Sums are doubled from the start where that is how they are finished. */
HONE_INLINE int8_t hone_finished_plane(hone_finish finish, hone_scale scale, int32_t sum) {
  return finish.down == 2 ? hone_finished_twice(finish, scale, sum)
                          : hone_finished(finish, scale, sum);
}

/* The channel of an image with any window. */
HONE_INLINE void hone_plane_any(hone_window s, const int16_t *plane, const uint32_t *pairs,
                                int32_t bias, hone_finish finish, hone_scale scale, int8_t *y) {
  const int32_t pitch = hone_plane_pitch(s), d = s.dilation_w;
  for (int32_t row = 0; row < s.out_h; ++row) {
    const int16_t *corner = plane + row * s.stride_h * pitch;
#pragma GCC unroll 1
    for (int32_t column = 0; column < s.out_w; ++column) {
      const uint32_t *pair = pairs;
      int32_t sum = bias;
#pragma GCC unroll 8
      for (int32_t i = 0; i < s.kernel_h; ++i) {
        const int16_t *const p = corner + i * s.dilation_h * pitch;
#pragma GCC unroll 8
        for (int32_t j = 0; j < s.kernel_w; j += 2) {
          const int32_t next = j + 1 < s.kernel_w ? d : 0;
          const uint32_t two = d == 1 ? *(const hone_two_anywhere *)(p + j)
                                      : hone_two_of(p[j * d], p[j * d + next]);
          sum = hone_add_pair(two, *pair++, sum);
        }
      }
      *y = hone_finished_plane(finish, scale, sum);
      corner += s.stride_w;
      y += s.out_c;
    }
  }
}

/* Adds what a row of three taps is of the values of two words: for the first of them, and for the second. */
HONE_INLINE int32_t hone_first_of_three(uint32_t w01, uint32_t w12, uint32_t a, uint32_t b,
                                        int32_t sum) {
  return hone_add_high_low(w12, b, hone_add_pair(w01, a, sum));
}
HONE_INLINE int32_t hone_second_of_three(uint32_t w01, uint32_t w12, uint32_t a, uint32_t b,
                                         int32_t sum) {
  return hone_add_pair(w12, b, hone_add_low_high(w01, a, sum));
}

/* With one of three by three taps, of strides of one or two along rows. */
HONE_INLINE void hone_plane_three(hone_window s, const int16_t *plane, const uint32_t *pairs,
                                  int32_t bias, hone_finish finish, hone_scale scale, int8_t *y) {
  const int32_t words = hone_plane_pitch(s) / 2;
  uint32_t w01[3], w12[3];
  for (int32_t i = 0; i < 3; ++i) {
    w01[i] = pairs[2 * i];
    w12[i] = (pairs[2 * i] >> 16) | (pairs[2 * i + 1] << 16);
  }
  const int32_t both = s.stride_w == 1 ? 2 : 1; /* Results of two words. */
  for (int32_t row = 0; row < s.out_h; ++row) {
    const hone_two *p = (const hone_two *)plane + row * s.stride_h * words;
    int32_t column = 0;
#pragma GCC unroll 1
    for (; column + both <= s.out_w; column += both) {
      int32_t first = bias, second = bias;
#pragma GCC unroll 3
      for (int32_t i = 0; i < 3; ++i) {
        const uint32_t a = p[i * words], b = p[i * words + 1];
        first = hone_first_of_three(w01[i], w12[i], a, b, first);
        if (both == 2) second = hone_second_of_three(w01[i], w12[i], a, b, second);
      }
      y[0] = hone_finished_plane(finish, scale, first);
      if (both == 2) y[s.out_c] = hone_finished_plane(finish, scale, second);
      y += both * s.out_c;
      ++p;
    }
    if (column < s.out_w) {
      int32_t last = bias;
      for (int32_t i = 0; i < 3; ++i) {
        last = hone_first_of_three(w01[i], w12[i], p[i * words], p[i * words + 1], last);
      }
      *y = hone_finished_plane(finish, scale, last);
      y += s.out_c;
    }
  }
}

/* One channel by the kernel for its window; `pairs` has room for its taps. */
HONE_INLINE void hone_plane(hone_window s, const int16_t *plane, const int8_t *weights,
                            hone_finish finish, int32_t channel, uint32_t *pairs, int8_t *y) {
  const hone_scale scale = hone_scale_of(finish, channel);
  const int32_t factor = finish.down == 2 ? 2 : 1;
  const int32_t bias = (int32_t)((uint32_t)finish.bias[channel] * (uint32_t)factor);
  const int three = s.kernel_h == 3 && s.kernel_w == 3 && s.dilation_h == 1 && s.dilation_w == 1 &&
                    (s.stride_w == 1 || s.stride_w == 2);
  hone_widen_taps(s, factor, weights, pairs);
  if (three) {
    hone_plane_three(s, plane, pairs, bias, finish, scale, y);
  } else {
    hone_plane_any(s, plane, pairs, bias, finish, scale, y);
  }
}

/* `scratch` has the plane, and the pairs of one channel's taps. */
HONE_INLINE void hone_depthwise(hone_window s, int8_t zero, const int8_t *x, const int8_t *weights,
                                hone_finish finish, int8_t *y, uint32_t *scratch) {
  const int32_t words = hone_plane_h(s) * hone_plane_pitch(s) / 2;
  int16_t *const plane = (int16_t *)scratch;
  uint32_t *const pairs = scratch + words;
  for (int32_t i = 0; i < words; ++i) ((hone_two *)plane)[i] = hone_two_of(zero, zero);
  for (int32_t image = 0; image < s.images; ++image) {
#pragma GCC unroll 1
    for (int32_t c = 0; c < s.in_c; ++c) {
      hone_widen_channel(s, x + c, plane);
      hone_plane(s, plane, weights + c * s.kernel_h * s.kernel_w, finish, c, pairs, y + c);
    }
    x += s.in_h * s.in_w * s.in_c;
    y += s.out_h * s.out_w * s.out_c;
  }
}
