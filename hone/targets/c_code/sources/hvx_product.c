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
  HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
    const hone_v *const s = sums[i];
    const hone_v y = hone_hvx_placed(finish, s[0], s[blocks > 1 ? 1 : 0], s[blocks > 2 ? 2 : 0],
                                     s[blocks > 3 ? 3 : 0]);
    int8_t *const to = p.y + i * p.out_c + channel;
    if (to + 128 <= p.end) {
      hone_v_store_any(to, y);
    } else {
      hone_v_put(to, y, p.out_c - channel < 128 ? p.out_c - channel : 128);
    }
  }
}

/* All channels of one pixel or four, from the last ones on: what is written behind a pixel is of the next one,
   whose first channels come later. */
HONE_INLINE void hone_hvx_channels(hone_hvx_pixel p, int32_t pixels, const int8_t *weights,
                                   hone_hvx_finish finish) {
  const int32_t left = p.out_c % 128, whole = p.out_c - left;
  int32_t totals[HONE_HVX_PIXELS];
  hone_hvx_totals(p, pixels, totals);
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

/* `scratch` has four pixels, k bytes each. */
HONE_INLINE void hone_hvx_conv(hone_window s, int8_t zero, const int8_t *x, const int8_t *weights,
                               hone_hvx_finish finish, int8_t *y, int8_t *scratch) {
  const int32_t k = (s.kernel_h * s.kernel_w * s.in_c + 7) / 8 * 8;
  const int32_t pixels = s.out_h * s.out_w;
  const int32_t step = pixels < HONE_HVX_PIXELS ? 1 : HONE_HVX_PIXELS;
  hone_hvx_pixel p = {scratch, k, k, y, s.out_c, y + s.images * pixels * s.out_c};
  for (int32_t image = 0; image < s.images; ++image) {
    for (int32_t pixel = 0; pixel < pixels; pixel += step) {
      const int32_t first = pixel + step <= pixels ? pixel : pixels - step;
      for (int32_t i = 0; i < step; ++i) {
        const int32_t top = (first + i) / s.out_w * s.stride_h - s.pad_h;
        const int32_t left = (first + i) % s.out_w * s.stride_w - s.pad_w;
        hone_gather(s, x, top, left, zero, scratch + i * k);
      }
      p.y = y + first * s.out_c;
      hone_hvx_channels(p, step, weights, finish);
    }
    x += s.in_h * s.in_w * s.in_c;
    y += pixels * s.out_c;
  }
}
