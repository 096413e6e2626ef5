/* Memory to work in; nothing in it outlives a frame. */
typedef struct {
  hone_mfcc_spectrum spectrum;
  uint64_t bands[HONE_MFCC_BANDS];
  int32_t logs[HONE_MFCC_BANDS];
} hone_mfcc_work;

static inline int32_t hone_mfcc_cosines(const int32_t *logs, const int16_t *row) {
  int64_t sum = 0;
  for (int32_t band = 0; band < HONE_MFCC_BANDS; ++band) sum += (int64_t)row[band] * logs[band];
  return (int32_t)hone_mfcc_shift(sum, HONE_MFCC_COSINE_SHIFT);
}

/* The coefficients of HONE_MFCC_FRAME samples, as loud as they are. */
static inline void hone_mfcc_frame(const int16_t *samples, int16_t *row, hone_mfcc_work *work) {
  hone_mfcc_spectrum_of(samples, &work->spectrum);
  for (int32_t band = 0; band < HONE_MFCC_BANDS; ++band) work->bands[band] = HONE_MFCC_FLOOR;
  for (int32_t i = 0; i < HONE_MFCC_BINS; ++i) {
    const int64_t r = work->spectrum.re[HONE_MFCC_FIRST_BIN + i], m = work->spectrum.im[HONE_MFCC_FIRST_BIN + i];
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
