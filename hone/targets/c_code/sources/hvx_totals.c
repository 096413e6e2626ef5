/* Pixels whose bytes are multiplied, a few at a time, and sums of their bytes. */
#define HONE_HVX_BLOCKS 4 /* Of channels, at a time, */
#define HONE_HVX_PIXELS 4 /* and pixels. */
#if defined(__clang__)
#define HONE_UNROLL _Pragma("clang loop unroll(full)")
#define HONE_UNROLL_TWO _Pragma("clang loop unroll_count(2)")
#else
#define HONE_UNROLL
#define HONE_UNROLL_TWO
#endif

/* Pixels, the next one `pitch` bytes behind, and where their results go. */
typedef struct {
  const int8_t *x;
  int32_t pitch, k;
  int8_t *y;
  int32_t out_c;
  const int8_t *end; /* Of all results: what lies before it and behind a pixel may be written over. */
} hone_hvx_pixel;

/* Of few bytes, by scalars. */
HONE_INLINE void hone_hvx_few_totals(hone_hvx_pixel p, int32_t pixels, hone_v *totals) {
  hone_sums sums[HONE_HVX_PIXELS];
  HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) sums[i] = 0;
  for (int32_t k = 0; k < p.k; k += 8) {
    HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) {
      sums[i] = hone_eight_bytes(sums[i], hone_eight_at(p.x + i * p.pitch + k));
    }
  }
  HONE_UNROLL for (int32_t i = 0; i < pixels; ++i) totals[i] = hone_v_words(hone_sum_of(sums[i]));
}

/* Of one of four pixels of 64 bytes and more, in 32 parts. What is no whole vector is the end of one, of the first
   pixel the beginning: nothing is read that is not of the four. */
HONE_INLINE hone_v hone_hvx_parts(hone_hvx_pixel p, int32_t pixel) {
  const int32_t left = p.k % 128, whole = p.k - left;
  const int at_end = pixel > 0 || whole > 0;
  const int8_t *const x = p.x + pixel * p.pitch;
  const hone_v all = hone_v_bytes(128);
  hone_v parts = hone_v_words(0);
  if (left > 0) {
    const hone_v last = at_end ? hone_v_between(128 - left, 128) : hone_v_between(0, left);
    const hone_v bytes = hone_v_load_any(at_end ? x + p.k - 128 : x);
    parts = hone_v_dots(parts, hone_v_and(all, last), bytes);
  }
  for (int32_t k = 0; k < whole; k += 128) {
    parts = hone_v_dots(parts, all, hone_v_load_any(x + k));
  }
  return parts;
}

/* Parts of four pixels in turn are added until every fourth is the same. */
HONE_INLINE void hone_hvx_many_totals(hone_hvx_pixel p, hone_v *totals) {
  const hone_v one = hone_v_added(hone_v_mixed(hone_hvx_parts(p, 0), hone_hvx_parts(p, 1), 4));
  const hone_v two = hone_v_added(hone_v_mixed(hone_hvx_parts(p, 2), hone_hvx_parts(p, 3), 4));
  hone_v sums = hone_v_added(hone_v_mixed(one, two, 8));
  HONE_UNROLL for (int32_t bytes = 16; bytes < 128; bytes *= 2) {
    sums = hone_v_add(sums, hone_v_from(sums, bytes));
  }
  HONE_UNROLL for (int32_t i = 0; i < 4; ++i) totals[i] = hone_v_word_of_four(sums, i);
}

/* 128 times the sum of a pixel's bytes, in every word. */
HONE_INLINE void hone_hvx_totals(hone_hvx_pixel p, int32_t pixels, hone_v *totals) {
  if (pixels == 4 && p.k >= 64) {
    hone_hvx_many_totals(p, totals);
  } else {
    hone_hvx_few_totals(p, pixels, totals);
  }
}
