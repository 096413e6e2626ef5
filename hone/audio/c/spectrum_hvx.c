/* The transform of spectrum.c by vectors of 32 words (hone_kernels.h): the same turns of the same elements, so the same
   bits. Element 16 l + j of the order that it begins in lies in vector j: turns by up to 8 elements are of whole vectors.
   Then vectors and words change places: those by 16 and more are of whole vectors, too, but for the last. */
typedef struct {
  int32_t re[HONE_MFCC_POINTS], im[HONE_MFCC_POINTS]; /* Numbers of frequencies first, */
  int32_t spare[HONE_MFCC_POINTS];
} __attribute__((aligned(128))) hone_mfcc_spectrum;

enum { HONE_MFCC_ROWS = 16 };
static const uint8_t hone_mfcc_in_order[HONE_MFCC_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t hone_mfcc_reversed[HONE_MFCC_ROWS] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

/* Row j is the 32 samples from 32 times j's bits, read backwards. */
static inline void hone_mfcc_windowed(const int16_t *samples, hone_mfcc_spectrum *y) {
  const int8_t *const end = (const int8_t *)(samples + HONE_MFCC_FRAME);
  const hone_v half = hone_v_words(1 << (HONE_MFCC_WINDOW_SHIFT - 1)), shift = hone_v_words(HONE_MFCC_WINDOW_SHIFT);
  for (int32_t j = 0; j < HONE_MFCC_ROWS; ++j) {
    const int32_t first = 32 * hone_mfcc_reversed[j];
    hone_v row = hone_v_words(0);
    if (first < HONE_MFCC_FRAME) {
      const hone_v x = hone_v_halves(hone_v_load_before((const int8_t *)(samples + first), end));
      const hone_v value = hone_v_product(x, hone_v_load(hone_mfcc_window + first)).low;
      row = hone_v_shift_right(hone_v_add(value, half), shift);
    }
    hone_v_store(y->re + 32 * j, row);
    hone_v_store(y->im + 32 * j, hone_v_words(0));
  }
}

static inline void hone_mfcc_cross(int32_t *first, int32_t *second, hone_v turned) {
  const hone_v x = hone_v_load(first);
  hone_v_store(second, hone_v_sub(x, turned));
  hone_v_store(first, hone_v_add(x, turned));
}

typedef struct {
  hone_v re, im;
} hone_mfcc_numbers;
static inline hone_mfcc_numbers hone_mfcc_turned(hone_v re, hone_v im, hone_v s, hone_v c) {
  const hone_v less = hone_v_sub(hone_v_words(0), re);
  const hone_mfcc_numbers y = {hone_v_sum_shifted_30(hone_v_product(c, re), hone_v_product(s, im)),
                               hone_v_sum_shifted_30(hone_v_product(c, im), hone_v_product(s, less))};
  return y;
}

/* Of the row here and the one that lies `rows` further on, which is turned. */
static inline void hone_mfcc_turn(hone_mfcc_spectrum *y, int32_t row, int32_t rows, hone_v s, hone_v c) {
  int32_t *const re = y->re + 32 * row, *const im = y->im + 32 * row;
  const hone_mfcc_numbers turned = hone_mfcc_turned(hone_v_load(re + 32 * rows), hone_v_load(im + 32 * rows), s, c);
  hone_mfcc_cross(re, re + 32 * rows, turned.re);
  hone_mfcc_cross(im, im + 32 * rows, turned.im);
}

/* One angle is that of a whole row, and 0 of the first of a block, which is not turned. */
static inline void hone_mfcc_begin(hone_mfcc_spectrum *y) {
  for (int32_t half = 1; half < HONE_MFCC_ROWS; half *= 2) {
    for (int32_t row = 0; row < HONE_MFCC_ROWS; row += 2 * half) {
      int32_t *const re = y->re + 32 * row, *const im = y->im + 32 * row;
      hone_mfcc_cross(re, re + 32 * half, hone_v_load(re + 32 * half));
      hone_mfcc_cross(im, im + 32 * half, hone_v_load(im + 32 * half));
    }
    for (int32_t k = 1; k < half; ++k) {
      const int32_t *const sine = hone_mfcc_sine + k * (HONE_MFCC_POINTS / 2 / half);
      const hone_v s = hone_v_words(sine[0]), c = hone_v_words(sine[HONE_MFCC_POINTS / 4]);
      for (int32_t row = k; row < HONE_MFCC_ROWS; row += 2 * half) hone_mfcc_turn(y, row, half, s, c);
    }
  }
}

/* Eight bytes of one row and of another in turn: four times that, each with the rows in the order it left, and
   columns of eight bytes are rows. */
static inline void hone_mfcc_mix(const int32_t *x, int32_t *y, const uint8_t *row) {
  for (int32_t i = 0; i < HONE_MFCC_ROWS / 2; ++i) {
    const hone_v2 both =
        hone_v_mixed(hone_v_load(x + 32 * i), hone_v_load(x + 32 * (i + HONE_MFCC_ROWS / 2)), 8);
    hone_v_store(y + 32 * row[2 * i], both.low);
    hone_v_store(y + 32 * row[2 * i + 1], both.high);
  }
}
static inline void hone_mfcc_transpose(int32_t *x, int32_t *spare) {
  hone_mfcc_mix(x, spare, hone_mfcc_in_order);
  hone_mfcc_mix(spare, x, hone_mfcc_in_order);
  hone_mfcc_mix(x, spare, hone_mfcc_in_order);
  hone_mfcc_mix(spare, x, hone_mfcc_reversed);
}

/* Row l has elements 16 l + j and 16 (l + 16) + j in turn, whose angles are equal but in the last step. */
static inline void hone_mfcc_go_on(hone_mfcc_spectrum *y) {
  const int32_t *turns = hone_mfcc_turns;
  for (int32_t half = 1; half < HONE_MFCC_ROWS; half *= 2) {
    for (int32_t k = 0; k < half; ++k, turns += 64) {
      const hone_v s = hone_v_load(turns), c = hone_v_load(turns + 32);
      for (int32_t row = k; row < HONE_MFCC_ROWS; row += 2 * half) hone_mfcc_turn(y, row, half, s, c);
    }
  }
}

/* Of frequencies that bands reach, in the order of frequencies: two rows become one. */
static inline void hone_mfcc_end(hone_mfcc_spectrum *y) {
  for (int32_t k = 0; k < HONE_MFCC_FIRST_BIN + HONE_MFCC_BINS; k += 32) {
    const hone_v2 re = hone_v_parted(hone_v_load(y->re + 2 * k), hone_v_load(y->re + 2 * k + 32));
    const hone_v2 im = hone_v_parted(hone_v_load(y->im + 2 * k), hone_v_load(y->im + 2 * k + 32));
    const hone_v s = hone_v_load(hone_mfcc_sine + k), c = hone_v_load(hone_mfcc_sine + k + HONE_MFCC_POINTS / 4);
    const hone_mfcc_numbers turned = hone_mfcc_turned(re.high, im.high, s, c);
    hone_v_store(y->re + k, hone_v_add(re.low, turned.re));
    hone_v_store(y->im + k, hone_v_add(im.low, turned.im));
  }
}

static inline void hone_mfcc_spectrum_of(const int16_t *samples, hone_mfcc_spectrum *y) {
  hone_mfcc_windowed(samples, y);
  hone_mfcc_begin(y);
  hone_mfcc_transpose(y->re, y->spare);
  hone_mfcc_transpose(y->im, y->spare);
  hone_mfcc_go_on(y);
  hone_mfcc_end(y);
}
