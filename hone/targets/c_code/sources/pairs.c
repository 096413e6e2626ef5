/* Two products of 16 bits at a time: instructions of the DSP extension, or the same in C. Helium has sixteen of
   8 bits. */
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#include <arm_mve.h>
#define HONE_HELIUM 1
#else
#define HONE_HELIUM 0
#endif

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
#include <arm_acle.h>

/* Bytes 0 and 2 of four, as two values of 16 bits; bytes 1 and 3. */
HONE_INLINE uint32_t hone_even_bytes(uint32_t x) { return (uint32_t)__sxtb16((int8x4_t)x); }
HONE_INLINE uint32_t hone_odd_bytes(uint32_t x) {
  uint32_t y;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(y) : "r"(x));
  return y;
}
/* sum + a.low * b.low + a.high * b.high */
HONE_INLINE int32_t hone_add_pair(uint32_t a, uint32_t b, int32_t sum) {
  return __smlad((int16x2_t)a, (int16x2_t)b, sum);
}
/* sum + a.low * b.high, and sum + a.high * b.low */
HONE_INLINE int32_t hone_add_low_high(uint32_t a, uint32_t b, int32_t sum) {
  return __smlabt((int32_t)a, (int32_t)b, sum);
}
HONE_INLINE int32_t hone_add_high_low(uint32_t a, uint32_t b, int32_t sum) {
  return __smlatb((int32_t)a, (int32_t)b, sum);
}
#else
HONE_INLINE uint32_t hone_even_bytes(uint32_t x) {
  return ((uint32_t)(int32_t)(int8_t)x & 0xffffu) | ((uint32_t)(int32_t)(int8_t)(x >> 16) << 16);
}
HONE_INLINE uint32_t hone_odd_bytes(uint32_t x) {
  return hone_even_bytes(x >> 8);
}
HONE_INLINE int32_t hone_add_pair(uint32_t a, uint32_t b, int32_t sum) {
  const int32_t low = (int32_t)(int16_t)a * (int16_t)b;
  const int32_t high = (int32_t)(int16_t)(a >> 16) * (int16_t)(b >> 16);
  return (int32_t)((uint32_t)sum + (uint32_t)low + (uint32_t)high);
}
HONE_INLINE int32_t hone_add_low_high(uint32_t a, uint32_t b, int32_t sum) {
  return (int32_t)((uint32_t)sum + (uint32_t)((int32_t)(int16_t)a * (int16_t)(b >> 16)));
}
HONE_INLINE int32_t hone_add_high_low(uint32_t a, uint32_t b, int32_t sum) {
  return hone_add_low_high(b, a, sum);
}
#endif

/* The first `count` of four bytes, the others being 0. */
HONE_INLINE uint32_t hone_part_word(const int8_t *x, int32_t count) {
  uint32_t word = 0;
  for (int32_t i = 0; i < count; ++i) word |= (uint32_t)(uint8_t)x[i] << (8 * i);
  return word;
}
/* Four bytes from anywhere, also where loads have to be aligned. */
HONE_INLINE uint32_t hone_word(const int8_t *x) {
#if defined(__arm__) && !defined(__ARM_FEATURE_UNALIGNED)
  return hone_part_word(x, 4);
#else
  uint32_t word;
  __builtin_memcpy(&word, x, 4);
  return word;
#endif
}
