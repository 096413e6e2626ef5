/* Means of [outer][count][channels] over `count`, as of hone_mean, 128 channels at a time. Sums are below 2^30. */
HONE_INLINE void hone_hvx_means(int32_t outer, int32_t count, int32_t channels, int32_t offset,
                                hone_operand to, int32_t low, int32_t high, const int8_t *x,
                                int8_t *y) {
  const int8_t *const end = x + outer * count * channels;
  const hone_v lowest = hone_v_bytes(low), highest = hone_v_bytes(high);
  for (int32_t o = 0; o < outer; ++o) {
    for (int32_t c = 0; c < channels; c += 128) {
      hone_v sums[4], bytes[4];
      HONE_UNROLL for (int32_t q = 0; q < 4; ++q) sums[q] = hone_v_words(-offset);
      for (int32_t i = 0; i < count; ++i) {
        hone_v_widened(hone_v_load_before(x + i * channels + c, end), bytes);
        HONE_UNROLL for (int32_t q = 0; q < 4; ++q) sums[q] = hone_v_add(sums[q], bytes[q]);
      }
      HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
        sums[q] = hone_v_add(hone_v_small_scaled(sums[q], to), hone_v_words(to.zero));
      }
      const hone_v found = hone_v_bytes_of(sums[0], sums[1], sums[2], sums[3]);
      const hone_v result = hone_v_least(hone_v_most(found, lowest), highest);
      hone_v_put(y + c, result, channels - c < 128 ? channels - c : 128);
    }
    x += count * channels;
    y += channels;
  }
}
