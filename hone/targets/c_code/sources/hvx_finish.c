/* What becomes of 32 sums at a time, all of which are scaled down. Every array has a word for each channel. */
typedef struct {
  const int32_t *bias;
  const int32_t *multiplier;
  const int32_t *offset; /* Half of a unit and the zero point, in front of the bits that go, */
  const int32_t *shift;  /* which are so many. */
  int32_t low, high;     /* Of the results. */
  int below;             /* Some lie below the zero point: their ties go away from it (HONE_ROUNDING 0). */
} hone_hvx_finish;

typedef struct {
  hone_v multiplier, offset, shift;
} hone_hvx_scale;

HONE_INLINE hone_hvx_scale hone_hvx_scale_at(hone_hvx_finish finish, int32_t channel) {
  hone_hvx_scale scale;
  scale.multiplier = hone_v_load_any(finish.multiplier + channel);
  scale.offset = hone_v_load_any(finish.offset + channel);
  scale.shift = hone_v_load_any(finish.shift + channel);
  return scale;
}

HONE_INLINE hone_v hone_hvx_scaled(hone_hvx_finish finish, hone_hvx_scale scale, hone_v sums) {
#if HONE_ROUNDING == 1
  const hone_v high = hone_v_doubled_floor(sums, scale.multiplier);
#else
  const hone_v high = hone_v_doubled_high(sums, scale.multiplier);
#endif
  hone_v y = hone_v_add(high, scale.offset);
  if (HONE_ROUNDING == 0 && finish.below) y = hone_v_add(y, hone_v_sign(high));
  return hone_v_shift_right(y, scale.shift);
}

/* Four vectors of results as bytes. */
HONE_INLINE hone_v hone_hvx_placed(hone_hvx_finish finish, hone_v a, hone_v b, hone_v c, hone_v d) {
  hone_v y = hone_v_bytes_of(a, b, c, d);
  if (finish.low > -128) y = hone_v_most(y, hone_v_bytes(finish.low));
  if (finish.high < 127) y = hone_v_least(y, hone_v_bytes(finish.high));
  return y;
}
