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
