/* Integer arithmetic of quantized values. HONE_ROUNDING: 0 doubled high product and a shift whose ties go
   away from zero, 1 one rounding of the product, 2 as 0 with ties upward. */

#include <stddef.h>
#include <stdint.h>
#if defined(__hexagon__) && !__has_include(<string.h>) /* Without a C library: runtime.c has them. */
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset
#else
#include <string.h>
#endif

/* A compiler that does not optimize would write every vector's loop out wherever it is used: minutes of code. */
#ifdef __OPTIMIZE__
#define HONE_INLINE static inline __attribute__((always_inline))
#else
#define HONE_INLINE static inline
#endif
/* A function of its own in the program, so that what it takes can be told. */
#if defined(__clang__)
#define HONE_LAYER static __attribute__((noinline))
#else
#define HONE_LAYER static __attribute__((noinline, noclone, no_icf))
#endif

HONE_INLINE int32_t hone_doubled_high(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + (1ll << 30)) >> 31);
}

/* The same where |a| is below 2^30. */
HONE_INLINE int32_t hone_small_doubled_high(int32_t a, int32_t b) {
#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
  int32_t y;
  __asm__("smmulr %0, %1, %2" : "=r"(y) : "r"(2 * a), "r"(b));
  return y;
#else
  return hone_doubled_high(a, b);
#endif
}

/* x / 2^exponent, ties away from zero, for exponents of 0 to 31. */
HONE_INLINE int32_t hone_divided_by_power(int32_t x, int32_t exponent) {
  const uint32_t mask = exponent == 0 ? 0 : 0xffffffffu >> (32 - exponent);
  const uint32_t half = (mask >> 1) + (x < 0 ? 1u : 0u);
  return (x >> exponent) + (((uint32_t)x & mask) > half ? 1 : 0);
}

/* x * multiplier * 2^(shift - 31), for shifts of -31 to 30. */
HONE_INLINE int32_t hone_scaled(int32_t x, int32_t multiplier, int32_t shift) {
#if HONE_ROUNDING == 1
  return (int32_t)(((int64_t)x * multiplier + (1ll << (30 - shift))) >> (31 - shift));
#else
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  const int32_t high = hone_doubled_high((int32_t)((uint32_t)x << left), multiplier);
#if HONE_ROUNDING == 0
  return hone_divided_by_power(high, right);
#else
  return right == 0 ? high : (int32_t)(((int64_t)high + (1ll << (right - 1))) >> right);
#endif
#endif
}

/* The same of shifts of -31 to -1 where |x| is below 2^30: no sum on the way leaves 32 bits. */
HONE_INLINE int32_t hone_scaled_down(int32_t x, int32_t multiplier, int32_t shift) {
#if HONE_ROUNDING == 1
  return (int32_t)(((int64_t)x * multiplier + (1ll << (30 - shift))) >> 32) >> (-1 - shift);
#else
  const int32_t high = hone_small_doubled_high(x, multiplier);
  const int32_t half = 1 << (-shift - 1);
#if HONE_ROUNDING == 0
  return (high + half + (high >> 31)) >> -shift;
#else
  return (high + half) >> -shift;
#endif
#endif
}

/* The same of any shift where |x| is below 2^30. */
HONE_INLINE int32_t hone_small_scaled(int32_t x, int32_t multiplier, int32_t shift) {
#if HONE_ROUNDING != 1
  if (shift == 0) return hone_small_doubled_high(x, multiplier);
#endif
  return shift < 0 ? hone_scaled_down(x, multiplier, shift) : hone_scaled(x, multiplier, shift);
}

/* x + zero within [low, high]. */
HONE_INLINE int32_t hone_placed(int32_t x, int32_t zero, int32_t low, int32_t high) {
#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
  if (low == -128 && high == 127) {
    int32_t y;
    __asm__("qadd %0, %1, %2\n ssat %0, #8, %0" : "=r"(y) : "r"(x), "r"(zero));
    return y;
  }
#endif
  if (x < low - zero) return low;
  return x > high - zero ? high : x + zero;
}

/* What becomes of the sums of a layer, channel by channel. */
typedef struct {
  const int32_t *bias;
  const int32_t *multiplier;
  const int8_t *shift;
  int32_t zero, low, high; /* Of the results. */
  int down;                /* Sums are as hone_scaled_down takes them: 2 all, 1 where a shift is below 0. */
  int32_t channels;        /* How many are computed, */
  const int32_t *place;    /* and which they are, where not all: */
  const int8_t *results;   /* those of the others are always the same. */
} hone_finish;

/* The same of one channel. `drop` is how many bits go before the last, `offset` the zero point and half of a
   unit in front of them; both where sums are scaled down. */
typedef struct {
  int32_t multiplier, shift, drop, offset;
} hone_scale;

HONE_INLINE hone_scale hone_scale_of(hone_finish finish, int32_t channel) {
  const int32_t shift = finish.shift[channel];
  const int32_t drop = finish.down == 2 || (finish.down == 1 && shift < 0) ? -1 - shift : 0;
  const int32_t offset = (int32_t)((uint32_t)(2 * finish.zero + 1) << drop);
  const hone_scale scale = {finish.multiplier[channel], shift, drop, offset};
  return scale;
}

HONE_INLINE int8_t hone_finished_any(hone_finish finish, hone_scale scale, int32_t sum) {
  const int32_t scaled = finish.down == 2 ? hone_scaled_down(sum, scale.multiplier, scale.shift)
                                          : hone_scaled(sum, scale.multiplier, scale.shift);
  return (int8_t)hone_placed(scaled, finish.zero, finish.low, finish.high);
}

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP && HONE_ROUNDING == 0
/* Of a sum that was doubled, where sums are scaled down: 2 x m / 2^32 rounds as x m / 2^31 does, and where
   that is 0 for an x below, the sign of x does as well as its own. */
HONE_INLINE int8_t hone_finished_twice(hone_finish finish, hone_scale scale, int32_t twice) {
  int32_t y;
  if (finish.low != -128 || finish.high != 127) return hone_finished_any(finish, scale, twice >> 1);
  __asm__("smmlar %0, %1, %2, %3"
          : "=r"(y)
          : "r"(twice), "r"(scale.multiplier), "r"(scale.offset));
  y = (y + (twice >> 31)) >> scale.drop;
  __asm__("ssat %0, #8, %1, asr #1" : "=r"(y) : "r"(y));
  return (int8_t)y;
}
#else
HONE_INLINE int8_t hone_finished_twice(hone_finish finish, hone_scale scale, int32_t twice) {
  return hone_finished_any(finish, scale, twice >> 1);
}
#endif

HONE_INLINE int8_t hone_finished(hone_finish finish, hone_scale scale, int32_t sum) {
  return finish.down == 2 || (finish.down == 1 && scale.shift < 0)
             ? hone_finished_twice(finish, scale, (int32_t)((uint32_t)sum * 2))
             : hone_finished_any(finish, scale, sum);
}

HONE_INLINE int32_t hone_place(hone_finish finish, int32_t channel) {
  return finish.place ? finish.place[channel] : channel;
}

/* What a pixel begins as, where not all of so many channels are computed. */
HONE_INLINE void hone_fill(hone_finish finish, int32_t channels, int8_t *y) {
  if (finish.place) memcpy(y, finish.results, (size_t)channels);
}
