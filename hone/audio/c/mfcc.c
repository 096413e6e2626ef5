/* Memory to work in; nothing in it outlives a frame. */
typedef struct {
  int32_t re[HONE_MFCC_POINTS], im[HONE_MFCC_POINTS];
  uint64_t bands[HONE_MFCC_BANDS];
  int32_t logs[HONE_MFCC_BANDS];
} hone_mfcc_work;

static inline int64_t hone_mfcc_shift(int64_t value, int bits) {
  return (value + ((int64_t)1 << (bits - 1))) >> bits;
}

static inline uint64_t hone_mfcc_product(uint32_t a, uint32_t b) { return (uint64_t)a * b; }

/* The largest number whose square is not above x. z = x / 2^64, times a power of four so that it is 1/4 to 1; e is
   near 1 / sqrt(z), from a straight line on, three times better by Newton's rule; what is left of z gives the last
   bits, and the end holds the square against x. */
static inline uint32_t hone_mfcc_root(uint64_t x) {
  if (x == 0) return 0;
  const int zeros = __builtin_clzll(x) & ~1;
  const uint64_t z = x << zeros;
  const uint32_t top = (uint32_t)(z >> 32);
  uint32_t e = 0x88800000u - (uint32_t)(hone_mfcc_product(top, 0x4e000000u) >> 32); /* 30 bits behind the point. */
  for (int i = 0; i < 3; ++i) {
    const uint32_t square = (uint32_t)(hone_mfcc_product(e, e) >> 32);
    const uint32_t near = (uint32_t)(hone_mfcc_product(square, top) >> 32); /* 28 bits; 1, nearly. */
    e = (uint32_t)(hone_mfcc_product(e, (3u << 28) - near) >> 29);
  }
  const uint64_t whole = hone_mfcc_product(top, e) >> 30;
  const uint32_t near = whole > UINT32_MAX ? UINT32_MAX : (uint32_t)whole;
  const int64_t left = (int64_t)(z - hone_mfcc_product(near, near)) >> 12;
  const int64_t better = near + (left * (int64_t)e >> 51);
  uint32_t root = (uint32_t)((better > UINT32_MAX ? UINT32_MAX : better) >> (zeros / 2));
  if (hone_mfcc_product(root, root) > x) --root;
  if (x - hone_mfcc_product(root, root) > 2 * (uint64_t)root) ++root;
  return root;
}

/* Q16; x is 1 or more. */
static inline int32_t hone_mfcc_log2(uint64_t x) {
  const int32_t zeros = __builtin_clzll(x), whole = 63 - zeros;
  x <<= zeros;
  const int32_t *piece = hone_mfcc_log2_table + (x >> 57 & 63);
  const int64_t rise = (int64_t)(piece[1] - piece[0]) * (int64_t)(x >> 41 & 0xffff);
  return whole * 65536 + piece[0] + (int32_t)hone_mfcc_shift(rise, 16);
}

/* Puts element k where k's bits, read backwards, say. */
static inline void hone_mfcc_reverse(int32_t *x) {
  for (uint32_t i = 1, j = 0; i < HONE_MFCC_POINTS; ++i) {
    uint32_t bit = HONE_MFCC_POINTS / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) {
      const int32_t other = x[i];
      x[i] = x[j];
      x[j] = other;
    }
  }
}

/* The sum of two elements in the place of the first, their difference in that of the second, which was turned. */
static inline void hone_mfcc_cross(int32_t *first, int32_t *second, int32_t turned) {
  *second = *first - turned;
  *first += turned;
}

static inline void hone_mfcc_turn(int32_t *re, int32_t *im, uint32_t half, uint32_t turn) {
  const int64_t s = hone_mfcc_sine[turn], c = hone_mfcc_sine[turn + HONE_MFCC_POINTS / 4];
  const int32_t r = (int32_t)hone_mfcc_shift(c * re[half] + s * im[half], 30);
  const int32_t m = (int32_t)hone_mfcc_shift(c * im[half] - s * re[half], 30);
  hone_mfcc_cross(re, re + half, r);
  hone_mfcc_cross(im, im + half, m);
}

/* Elements of one angle follow one another, or those of one block, whichever are more; the first of a block is not
   turned. */
static inline void hone_mfcc_transform(int32_t *re, int32_t *im) {
  hone_mfcc_reverse(re);
  for (uint32_t half = 1; half < HONE_MFCC_POINTS; half *= 2) {
    const uint32_t angle = HONE_MFCC_POINTS / 2 / half;
    for (uint32_t i = 0; i < HONE_MFCC_POINTS; i += 2 * half) {
      hone_mfcc_cross(re + i, re + i + half, re[i + half]);
      hone_mfcc_cross(im + i, im + i + half, im[i + half]);
    }
    if (half < angle) {
      for (uint32_t k = 1; k < half; ++k) {
        for (uint32_t i = k; i < HONE_MFCC_POINTS; i += 2 * half) {
          hone_mfcc_turn(re + i, im + i, half, k * angle);
        }
      }
    } else {
      for (uint32_t i = 0; i < HONE_MFCC_POINTS; i += 2 * half) {
        for (uint32_t k = 1; k < half; ++k) hone_mfcc_turn(re + i + k, im + i + k, half, k * angle);
      }
    }
  }
}

static inline int32_t hone_mfcc_cosines(const int32_t *logs, const int16_t *row) {
  int64_t sum = 0;
  for (int32_t band = 0; band < HONE_MFCC_BANDS; ++band) sum += (int64_t)row[band] * logs[band];
  return (int32_t)hone_mfcc_shift(sum, HONE_MFCC_COSINE_SHIFT);
}

/* The coefficients of HONE_MFCC_FRAME samples, as loud as they are. */
static inline void hone_mfcc_frame(const int16_t *samples, int16_t *row, hone_mfcc_work *work) {
  for (int32_t i = 0; i < HONE_MFCC_POINTS; ++i) work->re[i] = work->im[i] = 0;
  for (int32_t i = 0; i < HONE_MFCC_FRAME; ++i) {
    const int32_t at = i <= HONE_MFCC_FRAME / 2 ? i : HONE_MFCC_FRAME - i;
    const int64_t value = (int64_t)samples[i] * hone_mfcc_window[at];
    work->re[i] = (int32_t)hone_mfcc_shift(value, HONE_MFCC_WINDOW_SHIFT);
  }
  hone_mfcc_transform(work->re, work->im);
  for (int32_t band = 0; band < HONE_MFCC_BANDS; ++band) work->bands[band] = HONE_MFCC_FLOOR;
  for (int32_t i = 0; i < HONE_MFCC_BINS; ++i) {
    const int64_t r = work->re[HONE_MFCC_FIRST_BIN + i], m = work->im[HONE_MFCC_FIRST_BIN + i];
    const uint64_t size = hone_mfcc_root((uint64_t)(r * r) + (uint64_t)(m * m));
    const int32_t band = hone_mfcc_band[i];
    if (band < HONE_MFCC_BANDS) work->bands[band] += size * hone_mfcc_weight[i];
    if (band > 0) work->bands[band - 1] += size * (32768u - hone_mfcc_weight[i]);
  }
  for (int32_t band = 0; band < HONE_MFCC_BANDS; ++band) {
    work->logs[band] = hone_mfcc_log2(work->bands[band]) - HONE_MFCC_POINT;
  }
  for (int32_t k = 0; k < HONE_MFCC_COEFFICIENTS; ++k) {
    const int32_t value = hone_mfcc_cosines(work->logs, hone_mfcc_cosine + k * HONE_MFCC_BANDS);
    row[k] = (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
  }
}

/* What samples of this loudness add to coefficient 0; of none above zero it is full scale's. */
static inline int32_t hone_mfcc_level(int16_t largest) {
  const int32_t log = hone_mfcc_log2(largest > 0 ? (uint64_t)largest : 32768u);
  int64_t sum = 0;
  for (int32_t band = 0; band < HONE_MFCC_BANDS; ++band) sum += (int64_t)hone_mfcc_cosine[band] * log;
  return (int32_t)hone_mfcc_shift(sum, HONE_MFCC_COSINE_SHIFT);
}

/* A row as the network takes it, the loudness taken off. */
static inline void hone_mfcc_bytes(const int16_t *row, int32_t level, int8_t *bytes) {
  for (int32_t k = 0; k < HONE_MFCC_COEFFICIENTS; ++k) {
    const int64_t value = row[k] - (k == 0 ? level : 0);
    const int64_t byte = HONE_MFCC_ZERO_POINT + hone_mfcc_shift(value * HONE_MFCC_MULTIPLIER, HONE_MFCC_SHIFT);
    bytes[k] = (int8_t)(byte < INT8_MIN ? INT8_MIN : byte > INT8_MAX ? INT8_MAX : byte);
  }
}
