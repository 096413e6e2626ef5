/* The first of them are numbers of frequencies, real and imaginary parts. */
typedef struct {
  int32_t re[HONE_MFCC_POINTS], im[HONE_MFCC_POINTS];
} hone_mfcc_spectrum;

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

static inline void hone_mfcc_spectrum_of(const int16_t *samples, hone_mfcc_spectrum *y) {
  for (int32_t i = 0; i < HONE_MFCC_POINTS; ++i) y->re[i] = y->im[i] = 0;
  for (int32_t i = 0; i < HONE_MFCC_FRAME; ++i) {
    const int32_t at = i <= HONE_MFCC_FRAME / 2 ? i : HONE_MFCC_FRAME - i;
    const int64_t value = (int64_t)samples[i] * hone_mfcc_window[at];
    y->re[i] = (int32_t)hone_mfcc_shift(value, HONE_MFCC_WINDOW_SHIFT);
  }
  hone_mfcc_transform(y->re, y->im);
}
