/* Means and largest values under windows. The taps of a window that lie in the image: */
HONE_INLINE int32_t hone_first_tap(int32_t start, int32_t dilation) {
  return start >= 0 ? 0 : (-start + dilation - 1) / dilation;
}
HONE_INLINE int32_t hone_last_tap(int32_t start, int32_t dilation, int32_t in, int32_t kernel) {
  const int32_t last = start >= in ? 0 : (in - 1 - start) / dilation + 1;
  return last < kernel ? last : kernel;
}

/* The taps of a window that a mean with padding is of. */
HONE_INLINE int32_t hone_taps_of_mean(hone_window s, int32_t pad_end_h, int32_t pad_end_w,
                                      int32_t top, int32_t left) {
  const int32_t room_h = s.in_h + pad_end_h - top, room_w = s.in_w + pad_end_w - left;
  const int32_t h = (room_h + s.dilation_h - 1) / s.dilation_h;
  const int32_t w = (room_w + s.dilation_w - 1) / s.dilation_w;
  return (h < s.kernel_h ? h : s.kernel_h) * (w < s.kernel_w ? w : s.kernel_w);
}

/* `padded` counts padding among the values of a mean: pad_end_h and pad_end_w are behind the image. */
HONE_INLINE void hone_pool(hone_window s, int average, int padded, int32_t pad_end_h,
                           int32_t pad_end_w, int32_t zero, int32_t low, int32_t high,
                           const int8_t *x, int8_t *y) {
  for (int32_t image = 0; image < s.images; ++image) {
    for (int32_t row = 0; row < s.out_h; ++row) {
      const int32_t top = row * s.stride_h - s.pad_h;
      const int32_t first_h = hone_first_tap(top, s.dilation_h);
      const int32_t last_h = hone_last_tap(top, s.dilation_h, s.in_h, s.kernel_h);
      for (int32_t column = 0; column < s.out_w; ++column) {
        const int32_t left = column * s.stride_w - s.pad_w;
        const int32_t first_w = hone_first_tap(left, s.dilation_w);
        const int32_t last_w = hone_last_tap(left, s.dilation_w, s.in_w, s.kernel_w);
        const int32_t inside = (last_h - first_h) * (last_w - first_w);
        const int32_t all =
            padded ? hone_taps_of_mean(s, pad_end_h, pad_end_w, top, left) : inside;
        for (int32_t c = 0; c < s.in_c; ++c) {
          int32_t sum = average ? (all - inside) * zero : -128;
          for (int32_t i = first_h; i < last_h; ++i) {
            for (int32_t j = first_w; j < last_w; ++j) {
              const int32_t value =
                  x[((top + i * s.dilation_h) * s.in_w + left + j * s.dilation_w) * s.in_c + c];
              sum = average ? sum + value : value > sum ? value : sum;
            }
          }
          if (average) sum = (sum > 0 ? sum + all / 2 : sum - all / 2) / all;
          *y++ = (int8_t)hone_placed(sum, 0, low, high);
        }
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
}
