/* Softmax of rows, as of hone_softmax, 128 columns at a time. `exponentials` are the four bytes of the 256 words, the
   lowest first, each as a table of hvx_table.c. */

/* Words of the exponentials of how far 128 bytes lie below the largest. */
HONE_INLINE void hone_hvx_exponentials(const int8_t *exponentials, hone_v below, hone_v *words) {
  hone_v bytes[4];
  HONE_UNROLL for (int32_t b = 0; b < 4; ++b) {
    const int8_t *const table = exponentials + 256 * b;
    bytes[b] = hone_hvx_found(below, hone_v_load(table), hone_v_load(table + 128));
  }
  const hone_v2 low = hone_v_mixed(bytes[0], bytes[1], 1), high = hone_v_mixed(bytes[2], bytes[3], 1);
  const hone_v2 first = hone_v_mixed(low.low, high.low, 2), last = hone_v_mixed(low.high, high.high, 2);
  words[0] = first.low;
  words[1] = first.high;
  words[2] = last.low;
  words[3] = last.high;
}

/* x 2^-bits of what has no sign, halves upward. */
HONE_INLINE hone_v hone_hvx_halved(hone_v x, int32_t bits) {
  const hone_v half = hone_v_shift_right(x, hone_v_words(bits - 1));
  return hone_v_add(hone_v_shift_right(x, hone_v_words(bits)), hone_v_and(half, hone_v_words(1)));
}

HONE_INLINE int32_t hone_hvx_row_largest(const int8_t *x, const int8_t *x_end, int32_t columns) {
  const hone_v least = hone_v_bytes(-128);
  hone_v largest = least;
  for (int32_t c = 0; c < columns; c += 128) {
    hone_v bytes = hone_v_load_before(x + c, x_end);
    if (columns - c < 128) { /* What lies behind the row is no larger than anything. */
      const hone_v row = hone_v_between(0, columns - c);
      bytes = hone_v_xor(hone_v_and(hone_v_xor(bytes, least), row), least);
    }
    largest = hone_v_most(largest, bytes);
  }
  for (int32_t by = 64; by > 0; by /= 2) {
    largest = hone_v_most(largest, hone_v_from(largest, by));
  }
  int8_t bytes[128] __attribute__((aligned(128)));
  hone_v_store(bytes, largest);
  return bytes[0];
}

HONE_INLINE uint32_t hone_hvx_row_sum(const int8_t *exponentials, hone_v largest, const int8_t *x,
                                      const int8_t *x_end, int32_t columns) {
  hone_v sum = hone_v_words(0), words[4];
  for (int32_t c = 0; c < columns; c += 128) {
    const hone_v bytes = hone_v_load_before(x + c, x_end);
    hone_hvx_exponentials(exponentials, hone_v_sub_bytes(largest, bytes), words);
    for (int32_t q = 0; q < 4 && c + 32 * q < columns; ++q) {
      const int32_t left = columns - c - 32 * q;
      hone_v part = hone_hvx_halved(words[q], 12);
      if (left < 32) part = hone_v_and(part, hone_v_between(0, 4 * left));
      sum = hone_v_add(sum, part);
    }
  }
  for (int32_t by = 64; by > 2; by /= 2) sum = hone_v_add(sum, hone_v_from(sum, by));
  uint32_t sums[32] __attribute__((aligned(128)));
  hone_v_store(sums, sum);
  return sums[0];
}

HONE_INLINE void hone_hvx_softmax(int32_t rows, int32_t columns, const int8_t *exponentials,
                                  const int8_t *x, int8_t *y) {
  const int8_t *const x_end = x + rows * columns;
  for (int32_t row = 0; row < rows; ++row) {
    const hone_v largest = hone_v_bytes(hone_hvx_row_largest(x, x_end, columns));
    const hone_sum_scale scale =
        hone_sum_scale_of(hone_hvx_row_sum(exponentials, largest, x, x_end, columns));
    const hone_v reciprocal = hone_v_words(scale.reciprocal);
    for (int32_t c = 0; c < columns; c += 128) {
      hone_v words[4];
      const hone_v bytes = hone_v_load_before(x + c, x_end);
      hone_hvx_exponentials(exponentials, hone_v_sub_bytes(largest, bytes), words);
      HONE_UNROLL for (int32_t q = 0; q < 4; ++q) {
        const hone_v value = hone_v_doubled_high(words[q], reciprocal);
        const hone_v part = scale.shift > 31 ? hone_v_words(0) : hone_hvx_halved(value, scale.shift);
        words[q] = hone_v_add(part, hone_v_words(-128));
      }
      hone_hvx_put_some(y + c, hone_v_bytes_of(words[0], words[1], words[2], words[3]), columns - c);
    }
    x += columns;
    y += columns;
  }
}
