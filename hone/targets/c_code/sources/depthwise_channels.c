/* Convolutions of every channel by itself, channels side by side: for Helium, eight of them at a time. Rows under
   the windows are copied with their padding, so that results may lie where x does, if as many. Weights are
   [taps][channels]; `scratch` has as many rows as a window reaches. */
#define HONE_MOST_ROWS 8 /* Of a window. */

HONE_INLINE int32_t hone_reach_h(hone_window s) { return (s.kernel_h - 1) * s.dilation_h + 1; }

HONE_INLINE void hone_put_row_of(hone_window s, const int8_t *x, int32_t row, int8_t zero,
                                 int8_t *to) {
  const int32_t width = hone_plane_w(s), behind = width - s.pad_w;
  const int32_t some = behind < s.in_w ? behind : s.in_w;
  if (row < 0 || row >= s.in_h || some <= 0) {
    memset(to, zero, (size_t)(width * s.in_c));
    return;
  }
  memset(to, zero, (size_t)(s.pad_w * s.in_c));
  memcpy(to + s.pad_w * s.in_c, x + row * s.in_w * s.in_c, (size_t)(some * s.in_c));
  memset(to + (s.pad_w + some) * s.in_c, zero, (size_t)((behind - some) * s.in_c));
}

HONE_INLINE int8_t hone_channel_of(hone_window s, const int8_t *const *rows, int32_t left,
                                   const int8_t *weights, hone_finish finish, int32_t channel) {
  int32_t sum = finish.bias[channel];
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    for (int32_t j = 0; j < s.kernel_w; ++j) {
      const int32_t x = rows[i][(left + j * s.dilation_w) * s.in_c + channel];
      const int32_t w = weights[(i * s.kernel_w + j) * s.in_c + channel];
      sum = (int32_t)((uint32_t)sum + (uint32_t)(x * w));
    }
  }
  return hone_finished(finish, hone_scale_of(finish, channel), sum);
}

#if HONE_HELIUM
/* Sums of channels 0, 2, 4 and 6 of eight, and of 1, 3, 5 and 7. */
HONE_INLINE void hone_eight_channels(hone_window s, const int8_t *const *rows, int32_t left,
                                     const int8_t *weights, hone_finish finish, int32_t channel,
                                     int8_t *y) {
  const int32x4x2_t biases = vld2q_s32(finish.bias + channel);
  const int32x4x2_t multipliers = vld2q_s32(finish.multiplier + channel);
  const int16x8_t shifts = vldrbq_s16(finish.shift + channel);
  int32x4_t even = biases.val[0], odd = biases.val[1];
  weights += channel;
#pragma GCC unroll 8
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    const int8_t *from = rows[i] + left * s.in_c + channel;
#pragma GCC unroll 8
    for (int32_t j = 0; j < s.kernel_w; ++j) {
      const int16x8_t x = vldrbq_s16(from), w = vldrbq_s16(weights);
      even = vaddq_s32(even, vmullbq_int_s16(x, w));
      odd = vaddq_s32(odd, vmulltq_int_s16(x, w));
      from += s.dilation_w * s.in_c;
      weights += s.in_c;
      /* Compilers would add at the end of all, and have no registers for what is to be added. */
      __asm__ volatile("" : "+r"(from), "+r"(weights), "+w"(even), "+w"(odd));
    }
  }
  even = hone_finished_four(finish, even, multipliers.val[0], vmovlbq_s16(shifts));
  odd = hone_finished_four(finish, odd, multipliers.val[1], vmovltq_s16(shifts));
  vstrbq_s16(y + channel, vmovntq_s32(vreinterpretq_s16_s32(even), odd));
}
#endif

/* All channels of one pixel. Where they are no whole eights, the last eight are from the end. */
HONE_INLINE void hone_channels_of(hone_window s, const int8_t *const *rows, int32_t left,
                                  const int8_t *weights, hone_finish finish, int8_t *y) {
#if HONE_HELIUM
  if (s.in_c >= 8) {
#pragma GCC unroll 1
    for (int32_t c = 0; c <= s.in_c - 8; c += 8) {
      hone_eight_channels(s, rows, left, weights, finish, c, y);
    }
    if (s.in_c % 8 != 0) hone_eight_channels(s, rows, left, weights, finish, s.in_c - 8, y);
    return;
  }
#endif
  for (int32_t c = 0; c < s.in_c; ++c) {
    y[c] = hone_channel_of(s, rows, left, weights, finish, c);
  }
}

HONE_INLINE void hone_depthwise_channels(hone_window s, int8_t zero, const int8_t *x,
                                         const int8_t *weights, hone_finish finish, int8_t *y,
                                         void *scratch) {
  const int32_t reach = hone_reach_h(s), bytes = hone_plane_w(s) * s.in_c;
  int8_t *const copies = (int8_t *)scratch;
  for (int32_t image = 0; image < s.images; ++image) {
    int32_t next = -s.pad_h; /* The row to copy. */
    for (int32_t row = 0; row < s.out_h; ++row) {
      const int32_t top = row * s.stride_h - s.pad_h;
      const int8_t *rows[HONE_MOST_ROWS];
      for (next = next < top ? top : next; next < top + reach; ++next) {
        hone_put_row_of(s, x, next, zero, copies + (next + s.pad_h) % reach * bytes);
      }
      for (int32_t i = 0; i < s.kernel_h; ++i) {
        rows[i] = copies + (top + i * s.dilation_h + s.pad_h) % reach * bytes;
      }
#pragma GCC unroll 1
      for (int32_t column = 0; column < s.out_w; ++column) {
        hone_channels_of(s, rows, column * s.stride_w, weights, finish, y);
        y += s.out_c;
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
