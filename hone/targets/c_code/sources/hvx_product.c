/* Products of bytes: pixels times weights, 32 output channels to a vector. Of the weights, less the smallest byte,
   a vector has four values of k of each channel; vectors of 8 values of k of up to four blocks of channels
   follow one another, then those of the next 8. k is a multiple of eight: what meets weights of 128, which
   stand for 0, may be anything.

   Sum x w = sum x (w + 128) - 128 sum x: the sums of pixels' bytes are those of lanes without a channel, whose
   weights are all 128, or where every lane has one, as hvx_totals.c has them. */

/* Channels that are computed, of whose panels of 128 there are the weights. Of a layer in several parts those of the
   last channels come first: what a pixel's last vector writes behind it is computed later. Where others are computed by
   other threads (`alone`), nothing is written behind it. */
typedef struct {
  int32_t first, end;
  int32_t alone;
} hone_hvx_part;

/* Results of `count` pixels from one on, `apart` bytes apart in y. */
HONE_INLINE void hone_hvx_put_pixels(hone_hvx_pixel p, int32_t first, int32_t count,
                                     int32_t channel, int32_t apart, hone_v y) {
  int8_t *to = p.y + first * p.out_c + channel;
  if (count > 1 && p.out_c == apart && to + 128 <= p.end) {
    hone_v_store_any(to, y);
    return;
  }
  const int inside = to + (count - 1) * p.out_c + 128 <= p.end;
  HONE_UNROLL for (int32_t i = 0; i < count; ++i) {
    const hone_v own = i == 0 ? y : hone_v_from(y, i * apart);
    if (inside) {
      hone_v_store_any(to, own);
    } else {
      hone_v_put(to, own, p.out_c - channel < 128 ? p.out_c - channel : 128);
    }
    to += p.out_c;
  }
}

/* Products of eight values of k. */
HONE_INLINE void hone_hvx_add_eight(const int8_t *x, int32_t pitch, int32_t pixels,
                                    const int8_t *weights, int32_t blocks,
                                    hone_v sums[][HONE_HVX_BLOCKS]) {
  int64_t eight[HONE_HVX_PIXELS];
  HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) eight[i] = hone_eight_at(x + i * pitch);
  HONE_UNROLL for (int32_t half = 0; half < 2; ++half) {
    HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) {
      const hone_v w = hone_v_load(weights + 128 * (half * blocks + b));
      HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
        sums[i][b] = hone_v_dot(sums[i][b], w, (int32_t)(eight[i] >> (32 * half)));
      }
    }
  }
}

/* Adds products to sums: of one block the loop is so short that it is unrolled. */
HONE_INLINE void hone_hvx_multiply(hone_hvx_pixel p, int32_t pixels, const int8_t *weights,
                                   int32_t blocks, hone_v sums[][HONE_HVX_BLOCKS]) {
  const int8_t *x = p.x;
  if (p.out_c <= 32 && p.k % 16 == 0 && p.k >= 64) {
    HONE_UNROLL_TWO for (int32_t k = 0; k < p.k; k += 8) {
      hone_hvx_add_eight(x + k, p.pitch, pixels, weights + 32 * k, 1, sums);
    }
    return;
  }
  for (int32_t left = p.k / 8; left > 0; --left) {
    hone_hvx_add_eight(x, p.pitch, pixels, weights, blocks, sums);
    x += 8;
    weights += 256 * blocks;
  }
}

/* Sums as bytes. A vector has the results of four pixels, of two, or of one. */
HONE_INLINE void hone_hvx_put_tile(hone_hvx_pixel p, int32_t pixels, int32_t blocks,
                                   hone_hvx_finish finish, int32_t channel,
                                   hone_v sums[][HONE_HVX_BLOCKS]) {
  HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) {
    const hone_hvx_scale scale = hone_hvx_scale_at(finish, channel + 32 * b);
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
      sums[i][b] = hone_hvx_scaled(finish, scale, sums[i][b]);
    }
  }
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

/* The same of four pixels of up to 16 channels, two to a vector: lanes behind the first 16 are those without a channel
   until then. */
HONE_INLINE void hone_hvx_put_halves(hone_hvx_pixel p, hone_hvx_finish finish,
                                     hone_v sums[][HONE_HVX_BLOCKS]) {
  const hone_hvx_scale scale = hone_hvx_scale_at(finish, 0);
  hone_v two[2];
  HONE_UNROLL for (int32_t i = 0; i < 2; ++i) {
    const hone_v2 both = hone_v_mixed(sums[2 * i][0], sums[2 * i + 1][0], 64);
    two[i] = hone_hvx_scaled(finish, scale, hone_v_sub(both.low, both.high));
  }
  hone_hvx_put_pixels(p, 0, 4, 0, 16, hone_hvx_placed(finish, two[0], two[1], two[0], two[1]));
}

/* `known`: totals are; otherwise they are found here. */
HONE_INLINE void hone_hvx_tile(hone_hvx_pixel p, int32_t pixels, hone_v *totals, int known,
                               const int8_t *weights, int32_t blocks, hone_hvx_finish finish,
                               int32_t channel) {
  hone_v sums[HONE_HVX_PIXELS][HONE_HVX_BLOCKS];
  HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) {
    const hone_v bias = hone_v_load(finish.bias + channel + 32 * b);
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
      sums[i][b] = known ? hone_v_sub(bias, totals[i]) : bias;
    }
  }
  hone_hvx_multiply(p, pixels, weights, blocks, sums);
  if (p.out_c <= 16 && pixels == 4) {
    hone_hvx_put_halves(p, finish, sums);
    return;
  }
  HONE_UNROLL for (int32_t i = 0; i < (known ? 0 : pixels); ++i) {
    totals[i] = hone_v_last_word(sums[i][blocks - 1]);
    HONE_UNROLL for (int32_t b = 0; b < blocks; ++b) sums[i][b] = hone_v_sub(sums[i][b], totals[i]);
  }
  hone_hvx_put_tile(p, pixels, blocks, finish, channel, sums);
}

/* The channels of a part of one pixel or four, from the last ones on: what is written behind a pixel is of the next
   one, whose first channels come later. */
HONE_INLINE void hone_hvx_channels(hone_hvx_pixel p, int32_t pixels, hone_hvx_part part,
                                   const int8_t *weights, hone_hvx_finish finish) {
  const int32_t left = part.end == p.out_c ? p.out_c % 128 : 0, whole = part.end - left;
  const int known = left % 32 == 0; /* Otherwise the first tile has lanes without a channel. */
  hone_v totals[HONE_HVX_PIXELS];
  if (known) hone_hvx_totals(p, pixels, totals);
  /* Compilers would keep all bytes in registers, of which there are not enough. */
  __asm__("" : "+r"(p.x));
  if (left > 0) {
    hone_hvx_pixel last = p;
    if (part.alone) last.end = p.y;
    hone_hvx_tile(last, pixels, totals, p.out_c % 32 == 0, weights + (whole - part.first) * p.k,
                  (p.out_c % 128 + 31) / 32, finish, whole);
  }
  for (int32_t c = whole - 128; c >= part.first; c -= 128) {
    hone_hvx_tile(p, pixels, totals, 1, weights + (c - part.first) * p.k, HONE_HVX_BLOCKS, finish,
                  c);
  }
}

/* So many pixels, `step` at a time. */
HONE_INLINE void hone_hvx_some_pixels(const int8_t *x, int32_t pixels, int32_t step, int32_t in_c,
                                      int32_t out_c, hone_hvx_part part, const int8_t *weights,
                                      hone_hvx_finish finish, int8_t *y) {
  hone_hvx_pixel p = {x, in_c, in_c, y, out_c, y + pixels * out_c};
  for (int32_t pixel = 0; pixel < pixels; pixel += step) {
    const int32_t first = pixel + step <= pixels ? pixel : pixels - step; /* Some are computed again. */
    p.x = x + first * in_c;
    p.y = y + first * out_c;
    hone_hvx_channels(p, step, part, weights, finish);
  }
}

/* Windows of one pixel that take every pixel, of channels in whole eights. How many are taken at a time compilers have
   to see, or they unroll nothing. */
HONE_INLINE void hone_hvx_pixels(const int8_t *x, int32_t pixels, int32_t in_c, int32_t out_c,
                                 hone_hvx_part part, const int8_t *weights, hone_hvx_finish finish,
                                 int8_t *y) {
  if (pixels < HONE_HVX_PIXELS) {
    hone_hvx_some_pixels(x, pixels, 1, in_c, out_c, part, weights, finish, y);
  } else {
    hone_hvx_some_pixels(x, pixels, HONE_HVX_PIXELS, in_c, out_c, part, weights, finish, y);
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
HONE_INLINE void hone_hvx_conv(hone_window s, int8_t zero, const int8_t *x, hone_hvx_part part,
                               const int8_t *weights, hone_hvx_finish finish, int8_t *y,
                               int8_t *scratch) {
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
        hone_hvx_channels(p, HONE_HVX_PIXELS, part, weights, finish);
        p.y += HONE_HVX_PIXELS * s.out_c;
        there = 0;
      }
    }
    x += s.in_h * s.in_w * s.in_c;
  }
  for (int32_t i = 0; i < there; ++i) {
    hone_hvx_channels(p, 1, part, weights, finish);
    p.x += k;
    p.y += s.out_c;
  }
}
