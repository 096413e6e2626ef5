/* Two products of 16 bits at a time: instructions of the DSP extension, or the same in C. */

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
#include <arm_acle.h>

/* Bytes 0 and 2 of four, as two values of 16 bits; bytes 1 and 3. */
HONE_INLINE uint32_t hone_even_bytes(uint32_t x) { return (uint32_t)__sxtb16(x); }
HONE_INLINE uint32_t hone_odd_bytes(uint32_t x) {
  uint32_t y;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(y) : "r"(x));
  return y;
}
/* sum + a.low * b.low + a.high * b.high */
HONE_INLINE int32_t hone_add_pair(uint32_t a, uint32_t b, int32_t sum) {
  return __smlad((int16x2_t)a, (int16x2_t)b, sum);
}
/* The low halves of both, the second one above; the high halves. */
HONE_INLINE uint32_t hone_low_halves(uint32_t a, uint32_t b) {
  uint32_t y;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(y) : "r"(a), "r"(b));
  return y;
}
HONE_INLINE uint32_t hone_high_halves(uint32_t a, uint32_t b) {
  uint32_t y;
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(y) : "r"(b), "r"(a));
  return y;
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
HONE_INLINE uint32_t hone_low_halves(uint32_t a, uint32_t b) {
  return (a & 0xffffu) | (b << 16);
}
HONE_INLINE uint32_t hone_high_halves(uint32_t a, uint32_t b) {
  return (a >> 16) | (b & 0xffff0000u);
}
#endif

/* Four bytes from anywhere. */
HONE_INLINE uint32_t hone_word(const int8_t *x) {
  uint32_t word;
  __builtin_memcpy(&word, x, 4);
  return word;
}
/* The first `count` of four bytes, the others being 0. */
HONE_INLINE uint32_t hone_part_word(const int8_t *x, int32_t count) {
  uint32_t word = 0;
  for (int32_t i = 0; i < count; ++i) word |= (uint32_t)(uint8_t)x[i] << (8 * i);
  return word;
}
