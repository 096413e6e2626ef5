/* Convolutions of groups of channels. Weights and what becomes of sums are those of one group after the other,
   channels filled up to two in each; `scratch` is as of hone_conv for one group. */
HONE_INLINE void hone_gather_group(hone_window s, int32_t group_c, const int8_t *x, int32_t pixel,
                                   int8_t zero, int8_t *to) {
  const int32_t top = pixel / s.out_w * s.stride_h - s.pad_h;
  const int32_t left = pixel % s.out_w * s.stride_w - s.pad_w;
  for (int32_t t = 0; t < s.kernel_h * s.kernel_w; ++t) {
    const int32_t h = top + t / s.kernel_w * s.dilation_h;
    const int32_t w = left + t % s.kernel_w * s.dilation_w;
    if (h < 0 || h >= s.in_h || w < 0 || w >= s.in_w) {
      memset(to, zero, (size_t)group_c);
    } else {
      memcpy(to, x + (h * s.in_w + w) * s.in_c, (size_t)group_c);
    }
    to += group_c;
  }
}

HONE_INLINE void hone_grouped(hone_window s, int8_t zero, const int8_t *x, const uint32_t *weights,
                              hone_finish finish, int8_t *y, uint32_t *scratch, int32_t groups) {
  const int32_t in_c = s.in_c / groups, out_c = s.out_c / groups;
  const int32_t k = (s.kernel_h * s.kernel_w * in_c + 7) / 8 * 8;
  const int32_t pixels = s.out_h * s.out_w;
  int8_t *const bytes = (int8_t *)(scratch + k / 2 * HONE_COLUMNS);
  for (int32_t image = 0; image < s.images; ++image) {
    for (int32_t pixel = 0; pixel < pixels; pixel += HONE_COLUMNS) {
      const int32_t left = pixels - pixel; /* The last of fewer is computed again. */
      const int32_t second = left > 1 ? 1 : 0, third = left > 2 ? 2 : second;
      for (int32_t group = 0; group < groups; ++group) {
        const int32_t panels = (out_c + 1) / 2, first = group * panels * 2;
        hone_finish own = finish;
        own.bias += first;
        own.multiplier += first;
        own.shift += first;
        own.channels = out_c;
        for (int32_t i = 0; i < HONE_COLUMNS; ++i) {
          const int32_t next = i == 0 ? 0 : i == 1 ? second : third;
          hone_gather_group(s, in_c, x + group * in_c, pixel + next, zero, bytes);
          hone_put(bytes, k, HONE_COLUMNS, hone_column_of(scratch, HONE_COLUMNS, k, i));
        }
        int8_t *const to = y + pixel * s.out_c + group * out_c;
        hone_three_columns(scratch, k, out_c, weights + group * panels * k / 2, own, to,
                           to + second * s.out_c, to + third * s.out_c);
      }
    }
    x += s.in_h * s.in_w * s.in_c;
    y += pixels * s.out_c;
  }
}
