/* What becomes of four sums at a time, with Helium. */
#if HONE_HELIUM
#if HONE_ROUNDING == 1
HONE_INLINE int32x4_t hone_scaled_four(hone_finish finish, int32x4_t sums, int32x4_t multipliers,
                                       int32x4_t shifts) {
  if (finish.down == 2) return vrshlq_s32(vqdmulhq_s32(sums, multipliers), shifts);
  /* Both halves of the product: of the lower one counts what a shift to the left brings up, or its half. */
  const int32x4_t high = vmulhq_s32(sums, multipliers);
  const uint32x4_t low = vreinterpretq_u32_s32(vmulq_s32(sums, multipliers));
  const uint32x4_t up = vrshlq_u32(low, vsubq_n_s32(shifts, 31));
  return vaddq_s32(vrshlq_s32(high, vaddq_n_s32(shifts, 1)), vreinterpretq_s32_u32(up));
}
#else
HONE_INLINE int32x4_t hone_scaled_four(hone_finish finish, int32x4_t sums, int32x4_t multipliers,
                                       int32x4_t shifts) {
  const int32x4_t none = vdupq_n_s32(0);
  const int32x4_t right = finish.down == 2 ? shifts : vminq_s32(shifts, none);
  const int32x4_t scaled = finish.down == 2 ? sums : vshlq_s32(sums, vmaxq_s32(shifts, none));
  int32x4_t high = vqrdmulhq_s32(scaled, multipliers);
#if HONE_ROUNDING == 0
  /* Ties go away from zero where a shift follows. */
  high = vaddq_s32(high, vshrq_n_s32(finish.down == 2 ? high : vandq_s32(high, right), 31));
#endif
  return vrshlq_s32(high, right);
}
#endif

HONE_INLINE int32x4_t hone_finished_four(hone_finish finish, int32x4_t sums, int32x4_t multipliers,
                                         int32x4_t shifts) {
  const int32x4_t y =
      vqaddq_n_s32(hone_scaled_four(finish, sums, multipliers, shifts), finish.zero);
  return vmaxq_s32(vminq_s32(y, vdupq_n_s32(finish.high)), vdupq_n_s32(finish.low));
}

/* Of channels from one on, whose sums lie `pitch` apart. */
HONE_INLINE void hone_finish_channels(hone_finish finish, int32_t channel, int32_t count,
                                      const int32_t *sums, uint32_t pitch, int8_t *y) {
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), pitch);
  for (int32_t i = 0; i < count; i += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)(count - i));
    const int32x4_t four =
        vldrwq_gather_shifted_offset_z_s32(sums + i * (int32_t)pitch, places, some);
    const int32x4_t multipliers = vldrwq_z_s32(finish.multiplier + channel + i, some);
    const int32x4_t shifts = vldrbq_z_s32(finish.shift + channel + i, some);
    const int32x4_t results = hone_finished_four(finish, four, multipliers, shifts);
    if (finish.place) {
      const uint32x4_t where = vreinterpretq_u32_s32(vldrwq_z_s32(finish.place + channel + i, some));
      vstrbq_scatter_offset_p_s32(y, where, results, some);
    } else {
      vstrbq_p_s32(y + channel + i, results, some);
    }
  }
}
#endif
