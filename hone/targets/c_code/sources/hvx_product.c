/* Products of bytes: pixels times weights, 32 output channels to a vector. Of the weights, less the smallest byte,
   a vector has four values of k of each channel; vectors of 8 values of k of up to four blocks of channels
   follow one another, then those of the next 8. k is a multiple of eight: what meets weights of 128, which
   stand for 0, may be anything.

   Sum x w = sum x (w + 128) - 128 sum x, so that the sum of a pixel's bytes is needed as well. */
#define HONE_HVX_BLOCKS 4 /* Of channels, at a time, */
#define HONE_HVX_PIXELS 4 /* and pixels. */
#if defined(__clang__)
#define HONE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define HONE_UNROLL
#endif

/* Pixels, the next one `pitch` bytes behind, and where their results go. */
typedef struct {
  const int8_t *x;
  int32_t pitch, k;
  int8_t *y;
  int32_t out_c;
  const int8_t *end; /* Of all results: what lies before it and behind a pixel may be written over. */
} hone_hvx_pixel;

/* 128 times the sum of every pixel's bytes. */
HONE_INLINE void hone_hvx_totals(hone_hvx_pixel p, int32_t pixels, int32_t *totals) {
  hone_sums sums[HONE_HVX_PIXELS];
  HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) sums[i] = 0;
  for (int32_t k = 0; k < p.k; k += 8) {
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
      sums[i] = hone_eight_bytes(sums[i], hone_eight_at(p.x + i * p.pitch + k));
    }
  }
  HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) totals[i] = 128 * hone_sum_of(sums[i]);
}

/* Results of `count` pixels from one on, `apart` bytes apart in y. */
HONE_INLINE void hone_hvx_put_pixels(hone_hvx_pixel p, int32_t first, int32_t count,
                                     int32_t channel, int32_t apart, hone_v y) {
  int8_t *to = p.y + first * p.out_c + channel;
  if (count > 1 && p.out_c == apart && to + 128 <= p.end) {
    hone_v_store_any(to, y);
    return;
  }
  HONE_UNROLL for (int32_t i = 0; i < count; ++i) {
    const hone_v own = i == 0 ? y : hone_v_from(y, i * apart);
    if (to + 128 <= p.end) {
      hone_v_store_any(to, own);
    } else {
      hone_v_put(to, own, p.out_c - channel < 128 ? p.out_c - channel : 128);
    }
    to += p.out_c;
  }
}

HONE_INLINE void hone_hvx_tile(hone_hvx_pixel p, int32_t pixels, const int32_t *totals,
                               const int8_t *weights, int32_t blocks, hone_hvx_finish finish,
                               int32_t channel) {
  hone_v sums[HONE_HVX_PIXELS][HONE_HVX_BLOCKS];
  const int8_t *x = p.x;
  HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) {
    const hone_v bias = hone_v_load(finish.bias + channel + 32 * b);
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
      sums[i][b] = hone_v_sub(bias, hone_v_words(totals[i]));
    }
  }
  for (int32_t k = 0; k < p.k; k += 8) {
    int64_t eight[HONE_HVX_PIXELS];
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) eight[i] = hone_eight_at(x + i * p.pitch);
    HONE_UNROLL for (int32_t half = 0; half < 2; ++half) {
      HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) {
        const hone_v w = hone_v_load(weights + 128 * (half * blocks + b));
        HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
          sums[i][b] = hone_v_dot(sums[i][b], w, (int32_t)(eight[i] >> (32 * half)));
        }
      }
    }
    x += 8;
    weights += 256 * blocks;
  }
  HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) {
    const hone_hvx_scale scale = hone_hvx_scale_at(finish, channel + 32 * b);
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
      sums[i][b] = hone_hvx_scaled(finish, scale, sums[i][b]);
    }
  }
  /* A vector has the results of four pixels, of two, or of one. */
  const int32_t together = pixels < 4 || blocks > 2 ? 1 : 4 / blocks;
  HONE_UNROLL for (int32_t i = 0; i < pixels; i += together) {
    const hone_v *const s = sums[i], *const next = sums[i + (together == 1 ? 0 : 1)];
    hone_v y;
    if (together == 4) {
      y = hone_hvx_placed(finish, s[0], next[0], sums[i + 2][0], sums[i + 3][0]);
    } else if (together == 2) {
      y = hone_hvx_placed(finish, s[0], s[1], next[0], next[1]);
    } else {
      y = hone_hvx_placed(finish, s[0], s[blocks > 1 ? 1 : 0], s[blocks > 2 ? 2 : 0],
                          s[blocks > 3 ? 3 : 0]);
    }
    hone_hvx_put_pixels(p, i, together, channel, 32 * blocks, y);
  }
}

/* All channels of one pixel or four, from the last ones on: what is written behind a pixel is of the next one,
   whose first channels come later. */
HONE_INLINE void hone_hvx_channels(hone_hvx_pixel p, int32_t pixels, const int8_t *weights,
                                   hone_hvx_finish finish) {
  const int32_t left = p.out_c % 128, whole = p.out_c - left;
  int32_t totals[HONE_HVX_PIXELS];
  hone_hvx_totals(p, pixels, totals);
  /* Compilers would keep all bytes in registers, of which there are not enough. */
  __asm__("" : "+r"(p.x));
  if (left > 0) {
    hone_hvx_tile(p, pixels, totals, weights + whole * p.k, (left + 31) / 32, finish, whole);
  }
  for (int32_t c = whole - 128; c >= 0; c -= 128) {
    hone_hvx_tile(p, pixels, totals, weights + c * p.k, HONE_HVX_BLOCKS, finish, c);
  }
}

/* Windows of one pixel that take every pixel, of channels in whole eights. */
HONE_INLINE void hone_hvx_pixels(const int8_t *x, int32_t pixels, int32_t in_c, int32_t out_c,
                                 const int8_t *weights, hone_hvx_finish finish, int8_t *y) {
  hone_hvx_pixel p = {x, in_c, in_c, y, out_c, y + pixels * out_c};
  const int32_t step = pixels < HONE_HVX_PIXELS ? 1 : HONE_HVX_PIXELS;
  for (int32_t pixel = 0; pixel < pixels; pixel += step) {
    const int32_t first = pixel + step <= pixels ? pixel : pixels - step; /* Some are computed again. */
    p.x = x + first * in_c;
    p.y = y + first * out_c;
    hone_hvx_channels(p, step, weights, finish);
  }
}

/* So many bytes, by whole vectors: what lies behind `to` is written over, but nothing read from `end` on. */
HONE_INLINE void hone_hvx_copy(int8_t *to, const int8_t *from, int32_t bytes, const int8_t *end) {
  for (int32_t i = 0; i < bytes; i += 128) {
    if (from + i + 128 <= end) {
      hone_v_store_any(to + i, hone_v_load_any(from + i));
    } else {
      for (int32_t j = i; j < bytes; ++j) to[j] = from[j];
      return;
    }
  }
}
HONE_INLINE void hone_hvx_fill(int8_t *to, int8_t value, int32_t bytes) {
  for (int32_t i = 0; i < bytes; i += 128) hone_v_store_any(to + i, hone_v_bytes(value));
}

/* Rows under windows, with their padding, in as many places as are read at a time; each is copied once. */
typedef struct {
  int8_t *rows;
  int32_t reach;     /* How many there are, */
  int32_t pitch;     /* and how far apart: there is room for a vector behind each. */
  int32_t next;      /* The row to copy, */
  const int8_t *end; /* from what ends here. */
} hone_hvx_rows;

HONE_INLINE hone_hvx_rows hone_hvx_rows_of(hone_window s, int8_t *rows, int32_t reach,
                                           const int8_t *end) {
  const hone_hvx_rows r = {rows, reach, (hone_plane_w(s) * s.in_c + 255) / 128 * 128, -s.pad_h, end};
  return r;
}
HONE_INLINE int8_t *hone_hvx_row(hone_hvx_rows *r, hone_window s, int32_t row) {
  return r->rows + (row + s.pad_h) % r->reach * r->pitch;
}

/* As hone_put_row_of. */
HONE_INLINE void hone_hvx_put_row(hone_window s, const int8_t *x, int32_t row, int8_t zero,
                                  const int8_t *end, int8_t *to) {
  const int32_t width = hone_plane_w(s), behind = width - s.pad_w;
  const int32_t some = behind < s.in_w ? behind : s.in_w;
  if (row < 0 || row >= s.in_h || some <= 0) {
    hone_hvx_fill(to, zero, width * s.in_c);
    return;
  }
  hone_hvx_fill(to, zero, s.pad_w * s.in_c);
  hone_hvx_copy(to + s.pad_w * s.in_c, x + row * s.in_w * s.in_c, some * s.in_c, end);
  hone_hvx_fill(to + (s.pad_w + some) * s.in_c, zero, (behind - some) * s.in_c);
}
HONE_INLINE void hone_hvx_fetch(hone_hvx_rows *r, hone_window s, const int8_t *x, int8_t zero,
                                int32_t top) {
  for (r->next = r->next < top ? top : r->next; r->next < top + r->reach; ++r->next) {
    hone_hvx_put_row(s, x, r->next, zero, r->end, hone_hvx_row(r, s, r->next));
  }
}

/* What lies under one window, whose rows are there. */
HONE_INLINE void hone_hvx_gather(hone_hvx_rows *r, hone_window s, int32_t top, int32_t left,
                                 int8_t *to) {
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    const int8_t *const from = hone_hvx_row(r, s, top + i * s.dilation_h) + left * s.in_c;
    if (s.dilation_w == 1) {
      hone_hvx_copy(to, from, s.kernel_w * s.in_c, from + s.kernel_w * s.in_c + 128);
      to += s.kernel_w * s.in_c;
    } else {
      for (int32_t j = 0; j < s.kernel_w; ++j) {
        const int8_t *const pixel = from + j * s.dilation_w * s.in_c;
        hone_hvx_copy(to, pixel, s.in_c, pixel + s.in_c + 128);
        to += s.in_c;
      }
    }
  }
}

/* `scratch` has four pixels, k bytes each, and as many rows as a window reaches; behind either 128 bytes. */
HONE_INLINE void hone_hvx_conv(hone_window s, int8_t zero, const int8_t *x, const int8_t *weights,
                               hone_hvx_finish finish, int8_t *y, int8_t *scratch) {
  const int32_t k = (s.kernel_h * s.kernel_w * s.in_c + 7) / 8 * 8;
  int8_t *const rows = scratch + (HONE_HVX_PIXELS * k + 255) / 128 * 128;
  const int8_t *const end = x + s.images * s.in_h * s.in_w * s.in_c;
  hone_hvx_pixel p = {scratch, k, k, y, s.out_c, y + s.images * s.out_h * s.out_w * s.out_c};
  int32_t there = 0; /* Pixels that wait to be multiplied. */
  for (int32_t image = 0; image < s.images; ++image) {
    hone_hvx_rows r = hone_hvx_rows_of(s, rows, hone_reach_h(s), end);
    for (int32_t row = 0; row < s.out_h; ++row) {
      const int32_t top = row * s.stride_h - s.pad_h;
      hone_hvx_fetch(&r, s, x, zero, top);
      for (int32_t column = 0; column < s.out_w; ++column) {
        hone_hvx_gather(&r, s, top, column * s.stride_w, scratch + there * k);
        if (++there < HONE_HVX_PIXELS) continue;
        hone_hvx_channels(p, HONE_HVX_PIXELS, weights, finish);
        p.y += HONE_HVX_PIXELS * s.out_c;
        there = 0;
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
  for (int32_t i = 0; i < there; ++i) {
    hone_hvx_channels(p, 1, weights, finish);
    p.x += k;
    p.y += s.out_c;
  }
}
