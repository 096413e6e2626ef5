/* Memory to work in; nothing in it outlives a frame. */
typedef struct {
  int32_t re[HONE_MFCC_POINTS], im[HONE_MFCC_POINTS];
  uint64_t bands[HONE_MFCC_BANDS];
  int32_t logs[HONE_MFCC_BANDS];
} hone_mfcc_work;

static inline int64_t hone_mfcc_shift(int64_t value, int bits) {
  return (value + ((int64_t)1 << (bits - 1))) >> bits;
}

static inline uint32_t hone_mfcc_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = (uint64_t)1 << 62; bit != 0; bit >>= 2) {
    const uint64_t next = root + bit;
    root >>= 1;
    if (x >= next) {
      x -= next;
      root += bit;
    }
  }
  return (uint32_t)root;
}

/* Q16; x is 1 or more. */
static inline int32_t hone_mfcc_log2(uint64_t x) {
  int32_t whole = 63;
  while (x >> 63 == 0) {
    x <<= 1;
    --whole;
  }
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

static inline void hone_mfcc_transform(int32_t *re, int32_t *im) {
  hone_mfcc_reverse(re);
  for (uint32_t half = 1; half < HONE_MFCC_POINTS; half *= 2) {
    for (uint32_t k = 0; k < half; ++k) {
      const uint32_t turn = k * (HONE_MFCC_POINTS / 2 / half);
      const int64_t s = hone_mfcc_sine[turn], c = hone_mfcc_sine[turn + HONE_MFCC_POINTS / 4];
      for (uint32_t i = k, j = k + half; i < HONE_MFCC_POINTS; i += 2 * half, j += 2 * half) {
        const int32_t r = (int32_t)hone_mfcc_shift(c * re[j] + s * im[j], 30);
        const int32_t m = (int32_t)hone_mfcc_shift(c * im[j] - s * re[j], 30);
        re[j] = re[i] - r;
        im[j] = im[i] - m;
        re[i] += r;
        im[i] += m;
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
