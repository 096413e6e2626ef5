/* Vectors of 128 bytes: HVX's, and where there is none the same in plain C. Words are 32 to a vector. */
#if defined(__hexagon__) && !(defined(__HVX__) && __HVX_LENGTH__ == 128)
#error "vectors of 128 bytes expected: build with -mhvx -mhvx-length=128b, or write the project for a core with hvx = false"
#endif
#if defined(__HVX__) && __HVX_LENGTH__ == 128
#include <hexagon_protos.h>
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#define HONE_HVX 1
typedef HVX_Vector hone_v;
typedef struct {
  hone_v low, high;
} hone_v2;

/* Where every word begins, in each of its bytes. */
static const uint32_t hone_word_places[32] __attribute__((aligned(128))) = {
    0x00000000, 0x04040404, 0x08080808, 0x0c0c0c0c, 0x10101010, 0x14141414, 0x18181818, 0x1c1c1c1c,
    0x20202020, 0x24242424, 0x28282828, 0x2c2c2c2c, 0x30303030, 0x34343434, 0x38383838, 0x3c3c3c3c,
    0x40404040, 0x44444444, 0x48484848, 0x4c4c4c4c, 0x50505050, 0x54545454, 0x58585858, 0x5c5c5c5c,
    0x60606060, 0x64646464, 0x68686868, 0x6c6c6c6c, 0x70707070, 0x74747474, 0x78787878, 0x7c7c7c7c};

HONE_INLINE hone_v hone_v_load(const void *from) { return *(const HVX_Vector *)from; }
HONE_INLINE hone_v hone_v_load_any(const void *from) { return *(const HVX_UVector *)from; }
HONE_INLINE void hone_v_store(void *to, hone_v x) { *(HVX_Vector *)to = x; }
HONE_INLINE void hone_v_store_any(void *to, hone_v x) { *(HVX_UVector *)to = x; }
HONE_INLINE hone_v hone_v_words(int32_t x) { return Q6_V_vsplat_R(x); }
HONE_INLINE hone_v hone_v_xor(hone_v a, hone_v b) { return Q6_V_vxor_VV(a, b); }
HONE_INLINE hone_v hone_v_add(hone_v a, hone_v b) { return Q6_Vw_vadd_VwVw(a, b); }
HONE_INLINE hone_v hone_v_sub(hone_v a, hone_v b) { return Q6_Vw_vsub_VwVw(a, b); }
HONE_INLINE hone_v hone_v_sign(hone_v x) { return Q6_Vw_vasr_VwR(x, 31); }
HONE_INLINE hone_v hone_v_shift_right(hone_v x, hone_v by) { return Q6_Vw_vasr_VwVw(x, by); }
/* Adds products of four unsigned bytes of each word with four signed ones. */
HONE_INLINE hone_v hone_v_dot(hone_v sums, hone_v bytes, int32_t four) {
  return Q6_Vw_vrmpyacc_VwVubRb(sums, bytes, four);
}
HONE_INLINE hone_v hone_v_dots(hone_v sums, hone_v bytes, hone_v fours) {
  return Q6_Vw_vrmpyacc_VwVubVb(sums, bytes, fours);
}
/* (a b + 2^30) >> 31. */
HONE_INLINE hone_v hone_v_doubled_high(hone_v a, hone_v b) {
  return Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(Q6_Vw_vmpye_VwVuh(a, b), a, b);
}
/* (a b) >> 31. */
HONE_INLINE hone_v hone_v_doubled_floor(hone_v a, hone_v b) {
  return Q6_Vw_vmpyoacc_VwVwVh_s1_sat_shift(Q6_Vw_vmpye_VwVuh(a, b), a, b);
}
/* a b, all 64 bits. */
HONE_INLINE hone_v2 hone_v_product(hone_v a, hone_v b) {
  const HVX_VectorPair ab = Q6_W_vmpyoacc_WVwVh(Q6_W_vmpye_VwVuh(a, b), a, b);
  const hone_v2 y = {Q6_V_lo_W(ab), Q6_V_hi_W(ab)};
  return y;
}
/* The bytes of four vectors of words, one behind the other. */
HONE_INLINE hone_v hone_v_bytes_of(hone_v a, hone_v b, hone_v c, hone_v d) {
  return Q6_Vb_vpack_VhVh_sat(Q6_Vh_vpack_VwVw_sat(d, c), Q6_Vh_vpack_VwVw_sat(b, a));
}
HONE_INLINE hone_v hone_v_least(hone_v a, hone_v b) { return Q6_Vb_vmin_VbVb(a, b); }
HONE_INLINE hone_v hone_v_most(hone_v a, hone_v b) { return Q6_Vb_vmax_VbVb(a, b); }
HONE_INLINE hone_v hone_v_bytes(int32_t x) { return Q6_Vb_vsplat_R(x); }
/* Bytes, or so many of them together, of a and b in turn. */
HONE_INLINE hone_v2 hone_v_mixed(hone_v a, hone_v b, int32_t bytes) {
  const HVX_VectorPair ab = Q6_W_vshuff_VVR(b, a, -bytes);
  const hone_v2 y = {Q6_V_lo_W(ab), Q6_V_hi_W(ab)};
  return y;
}
HONE_INLINE hone_v hone_v_top_bits(hone_v x) { return Q6_Vuw_vlsr_VuwR(x, 31); }
HONE_INLINE hone_v hone_v_shift_left(hone_v x, int32_t by) { return Q6_Vw_vasl_VwR(x, by); }
/* Bytes from one on come first. */
HONE_INLINE hone_v hone_v_from(hone_v x, int32_t byte) { return Q6_V_vror_VR(x, byte); }
/* Bytes as words: four vectors. */
HONE_INLINE void hone_v_widened(hone_v x, hone_v *words) {
  const HVX_VectorPair halves = Q6_Wh_vunpack_Vb(x);
  const HVX_VectorPair low = Q6_Ww_vunpack_Vh(Q6_V_lo_W(halves));
  const HVX_VectorPair high = Q6_Ww_vunpack_Vh(Q6_V_hi_W(halves));
  words[0] = Q6_V_lo_W(low);
  words[1] = Q6_V_hi_W(low);
  words[2] = Q6_V_lo_W(high);
  words[3] = Q6_V_hi_W(high);
}
HONE_INLINE hone_v hone_v_and(hone_v a, hone_v b) { return Q6_V_vand_VV(a, b); }
/* The first 32 numbers of 16 bits as words. */
HONE_INLINE hone_v hone_v_halves(hone_v x) { return Q6_V_lo_W(Q6_Ww_vunpack_Vh(x)); }
/* Words 0, 2, 4 .. of a and then b, and those between them: what hone_v_mixed(low, high, 4) makes of two. */
HONE_INLINE hone_v2 hone_v_parted(hone_v a, hone_v b) {
  const HVX_VectorPair ab = Q6_W_vdeal_VVR(b, a, -4);
  const hone_v2 y = {Q6_V_lo_W(ab), Q6_V_hi_W(ab)};
  return y;
}
/* (a + b + 2^29) >> 30, of 64 bits each. */
HONE_INLINE hone_v hone_v_sum_shifted_30(hone_v2 a, hone_v2 b) {
  HVX_VectorPred carry = Q6_Q_vsetq_R(0), other = carry;
  hone_v low = Q6_Vw_vadd_VwVwQ_carry(a.low, b.low, &carry);
  hone_v high = Q6_Vw_vadd_VwVwQ_carry(a.high, b.high, &carry);
  low = Q6_Vw_vadd_VwVwQ_carry(low, Q6_V_vsplat_R(1 << 29), &other);
  high = Q6_Vw_vadd_VwVwQ_carry(high, Q6_V_vzero(), &other);
  return Q6_V_vor_VV(Q6_Vw_vasl_VwR(high, 2), Q6_Vuw_vlsr_VuwR(low, 30));
}
/* All bits of bytes from `first` to before `end`. */
HONE_INLINE hone_v hone_v_between(int32_t first, int32_t end) {
  return Q6_V_vand_QR(Q6_Q_and_QQn(Q6_Q_vsetq2_R(end), Q6_Q_vsetq_R(first)), -1);
}
/* Every word from where its place and `at`, in bytes, differ. */
HONE_INLINE hone_v hone_v_exchanged(hone_v x, int32_t at, int32_t bits) {
  const hone_v places = hone_v_xor(hone_v_load(hone_word_places), hone_v_bytes(at));
  return Q6_V_vdelta_VV(x, hone_v_and(places, hone_v_bytes(bits)));
}
/* The last word in the place of all. */
HONE_INLINE hone_v hone_v_last_word(hone_v x) { return hone_v_exchanged(x, 4 * 31, 4 * 31); }
/* Of words that are the same every four, one in the place of all. */
HONE_INLINE hone_v hone_v_word_of_four(hone_v x, int32_t word) {
  return hone_v_exchanged(x, 4 * word, 4 * 3);
}
/* The first bytes of x, wherever they go. */
HONE_INLINE void hone_v_put(int8_t *to, hone_v x, int32_t bytes) {
  const int32_t place = (int32_t)((uintptr_t)to % 128);
  const HVX_Vector there = Q6_V_vror_VR(x, -place);
  const HVX_VectorPred behind = Q6_Q_vsetq_R(place);
  if (place + bytes <= 128) {
    const HVX_VectorPred before = Q6_Q_vsetq2_R(place + bytes);
    Q6_vmem_QRIV(Q6_Q_and_QQn(before, behind), (HVX_Vector *)(to - place), there);
  } else {
    Q6_vmem_QnRIV(behind, (HVX_Vector *)(to - place), there);
    Q6_vmem_QRIV(Q6_Q_vsetq2_R(place + bytes - 128), (HVX_Vector *)(to - place + 128), there);
  }
}
/* The bytes of x as vlut32 takes them, byte e at 2 (e % 64) + e / 64. */
HONE_INLINE hone_v hone_v_pickable(hone_v x) { return hone_v_mixed(x, hone_v_from(x, 64), 1).low; }
/* With those of them that `at` names by number; none where that is 128 or more. */
HONE_INLINE hone_v hone_v_or_picked(hone_v with, hone_v at, hone_v pickable) {
  with = Q6_Vb_vlut32or_VbVbVbI(with, at, pickable, 0);
  with = Q6_Vb_vlut32or_VbVbVbI(with, at, pickable, 1);
  with = Q6_Vb_vlut32or_VbVbVbI(with, at, pickable, 2);
  return Q6_Vb_vlut32or_VbVbVbI(with, at, pickable, 3);
}
/* Words by a factor of 16 bits with a sign. */
HONE_INLINE hone_v hone_v_times(hone_v x, int32_t by) {
  return Q6_Vw_vmpyi_VwRh(x, (int32_t)((uint32_t)by << 16 | ((uint32_t)by & 0xffff)));
}
HONE_INLINE hone_v hone_v_sub_bytes(hone_v a, hone_v b) { return Q6_Vb_vsub_VbVb(a, b); }
/* 128 bytes, of which only those before `end` count: an aligned vector can be read whole, whoever has the rest of it,
   if one of its bytes is before the end. */
HONE_INLINE hone_v hone_v_load_before(const int8_t *from, const int8_t *end) {
  const int32_t place = (int32_t)((uintptr_t)from % 128);
  if (from - place + 128 < end) return hone_v_load_any(from);
  return hone_v_from(hone_v_load(from - place), place);
}
/* Eight bytes, which lie where a word of eight does. */
HONE_INLINE int64_t hone_eight_at(const int8_t *x) { return *(const int64_t *)x; }
/* 128 times the sum of eight signed bytes, in two halves. */
typedef int64_t hone_sums;
HONE_INLINE hone_sums hone_eight_bytes(hone_sums sums, int64_t eight) {
  return Q6_P_vrmpybsuacc_PP(sums, eight, (int64_t)0x8080808080808080ull);
}
HONE_INLINE int32_t hone_sum_of(hone_sums sums) {
  return (int32_t)sums + (int32_t)(sums >> 32);
}
#else
#define HONE_HVX 0
typedef struct {
  int32_t w[32];
} hone_v;
typedef struct {
  hone_v low, high;
} hone_v2;
#define HONE_V_WORDS(expression)                            \
  hone_v y;                                                 \
  for (int32_t i = 0; i < 32; ++i) y.w[i] = (expression);   \
  return y

HONE_INLINE hone_v hone_v_load(const void *from) {
  hone_v y;
  memcpy(&y, from, sizeof(y));
  return y;
}
HONE_INLINE hone_v hone_v_load_any(const void *from) { return hone_v_load(from); }
HONE_INLINE void hone_v_store(void *to, hone_v x) { memcpy(to, &x, sizeof(x)); }
HONE_INLINE void hone_v_store_any(void *to, hone_v x) { memcpy(to, &x, sizeof(x)); }
HONE_INLINE hone_v hone_v_words(int32_t x) { HONE_V_WORDS(x); }
HONE_INLINE hone_v hone_v_xor(hone_v a, hone_v b) { HONE_V_WORDS(a.w[i] ^ b.w[i]); }
HONE_INLINE hone_v hone_v_add(hone_v a, hone_v b) {
  HONE_V_WORDS((int32_t)((uint32_t)a.w[i] + (uint32_t)b.w[i]));
}
HONE_INLINE hone_v hone_v_sub(hone_v a, hone_v b) {
  HONE_V_WORDS((int32_t)((uint32_t)a.w[i] - (uint32_t)b.w[i]));
}
HONE_INLINE hone_v hone_v_sign(hone_v x) { HONE_V_WORDS(x.w[i] >> 31); }
HONE_INLINE hone_v hone_v_top_bits(hone_v x) { HONE_V_WORDS((int32_t)((uint32_t)x.w[i] >> 31)); }
HONE_INLINE hone_v hone_v_and(hone_v a, hone_v b) { HONE_V_WORDS(a.w[i] & b.w[i]); }
HONE_INLINE hone_v hone_v_shift_left(hone_v x, int32_t by) {
  HONE_V_WORDS((int32_t)((uint32_t)x.w[i] << by));
}
HONE_INLINE hone_v hone_v_last_word(hone_v x) { HONE_V_WORDS(x.w[31]); }
HONE_INLINE hone_v hone_v_word_of_four(hone_v x, int32_t word) { HONE_V_WORDS(x.w[i / 4 * 4 + word]); }
HONE_INLINE hone_v hone_v_between(int32_t first, int32_t end) {
  uint8_t bytes[128];
  for (int32_t i = 0; i < 128; ++i) bytes[i] = i >= first && i < end ? 0xff : 0;
  return hone_v_load(bytes);
}
HONE_INLINE hone_v hone_v_from(hone_v x, int32_t byte) {
  uint8_t bytes[256];
  memcpy(bytes, &x, 128);
  memcpy(bytes + 128, &x, 128);
  return hone_v_load(bytes + byte);
}
HONE_INLINE void hone_v_widened(hone_v x, hone_v *words) {
  int8_t bytes[128];
  memcpy(bytes, &x, 128);
  for (int32_t i = 0; i < 128; ++i) words[i / 32].w[i % 32] = bytes[i];
}
HONE_INLINE hone_v hone_v_halves(hone_v x) {
  int16_t halves[64];
  memcpy(halves, &x, 128);
  HONE_V_WORDS(halves[i]);
}
HONE_INLINE hone_v2 hone_v_parted(hone_v a, hone_v b) {
  hone_v2 y;
  for (int32_t i = 0; i < 16; ++i) {
    y.low.w[i] = a.w[2 * i];
    y.high.w[i] = a.w[2 * i + 1];
    y.low.w[16 + i] = b.w[2 * i];
    y.high.w[16 + i] = b.w[2 * i + 1];
  }
  return y;
}
HONE_INLINE hone_v hone_v_sum_shifted_30(hone_v2 a, hone_v2 b) {
  hone_v y;
  for (int32_t i = 0; i < 32; ++i) {
    const uint64_t low = (uint64_t)(uint32_t)a.low.w[i] + (uint32_t)b.low.w[i];
    const uint64_t high = (uint64_t)(uint32_t)a.high.w[i] + (uint32_t)b.high.w[i];
    y.w[i] = (int32_t)((int64_t)((high << 32) + low + (1u << 29)) >> 30);
  }
  return y;
}
HONE_INLINE hone_v hone_v_shift_right(hone_v x, hone_v by) { HONE_V_WORDS(x.w[i] >> by.w[i]); }
HONE_INLINE int32_t hone_four_products(int32_t bytes, int32_t four) {
  int32_t sum = 0;
  for (int32_t j = 0; j < 32; j += 8) {
    sum += (int32_t)((uint32_t)bytes >> j & 0xff) * (int8_t)((uint32_t)four >> j & 0xff);
  }
  return sum;
}
HONE_INLINE hone_v hone_v_dot(hone_v sums, hone_v bytes, int32_t four) {
  HONE_V_WORDS((int32_t)((uint32_t)sums.w[i] + (uint32_t)hone_four_products(bytes.w[i], four)));
}
HONE_INLINE hone_v hone_v_dots(hone_v sums, hone_v bytes, hone_v fours) {
  HONE_V_WORDS((int32_t)((uint32_t)sums.w[i] + (uint32_t)hone_four_products(bytes.w[i], fours.w[i])));
}
HONE_INLINE hone_v hone_v_doubled_high(hone_v a, hone_v b) {
  HONE_V_WORDS(hone_doubled_high(a.w[i], b.w[i]));
}
HONE_INLINE hone_v hone_v_doubled_floor(hone_v a, hone_v b) {
  HONE_V_WORDS((int32_t)(((int64_t)a.w[i] * b.w[i]) >> 31));
}
HONE_INLINE hone_v2 hone_v_product(hone_v a, hone_v b) {
  hone_v2 y;
  for (int32_t i = 0; i < 32; ++i) {
    const int64_t ab = (int64_t)a.w[i] * b.w[i];
    y.low.w[i] = (int32_t)(uint32_t)(uint64_t)ab;
    y.high.w[i] = (int32_t)(ab >> 32);
  }
  return y;
}
HONE_INLINE hone_v hone_v_bytes_of(hone_v a, hone_v b, hone_v c, hone_v d) {
  const hone_v *const parts[4] = {&a, &b, &c, &d};
  int8_t bytes[128];
  for (int32_t i = 0; i < 128; ++i) {
    const int32_t x = parts[i / 32]->w[i % 32];
    bytes[i] = (int8_t)(x < -128 ? -128 : x > 127 ? 127 : x);
  }
  return hone_v_load(bytes);
}
HONE_INLINE hone_v hone_v_byte_by_byte(hone_v a, hone_v b, int most) {
  int8_t x[128], y[128];
  memcpy(x, &a, 128);
  memcpy(y, &b, 128);
  for (int32_t i = 0; i < 128; ++i) x[i] = (x[i] > y[i]) == most ? x[i] : y[i];
  return hone_v_load(x);
}
HONE_INLINE hone_v hone_v_least(hone_v a, hone_v b) { return hone_v_byte_by_byte(a, b, 0); }
HONE_INLINE hone_v hone_v_most(hone_v a, hone_v b) { return hone_v_byte_by_byte(a, b, 1); }
HONE_INLINE hone_v hone_v_bytes(int32_t x) { HONE_V_WORDS((int32_t)((uint32_t)(x & 0xff) * 0x01010101u)); }
HONE_INLINE hone_v2 hone_v_mixed(hone_v a, hone_v b, int32_t bytes) {
  uint8_t x[2][128], y[256];
  memcpy(x[0], &a, 128);
  memcpy(x[1], &b, 128);
  for (int32_t i = 0; i < 256; ++i) {
    const int32_t unit = i / bytes;
    y[i] = x[unit % 2][unit / 2 * bytes + i % bytes];
  }
  const hone_v2 both = {hone_v_load(y), hone_v_load(y + 128)};
  return both;
}
HONE_INLINE void hone_v_put(int8_t *to, hone_v x, int32_t bytes) { memcpy(to, &x, (size_t)bytes); }
HONE_INLINE hone_v hone_v_load_before(const int8_t *from, const int8_t *end) {
  if (from + 128 <= end) return hone_v_load_any(from);
  int8_t bytes[128];
  for (int32_t i = 0; i < 128; ++i) bytes[i] = from + i < end ? from[i] : 0;
  return hone_v_load(bytes);
}
HONE_INLINE hone_v hone_v_pickable(hone_v x) { return x; }
HONE_INLINE hone_v hone_v_or_picked(hone_v with, hone_v at, hone_v pickable) {
  uint8_t y[128], places[128], x[128];
  memcpy(y, &with, 128);
  memcpy(places, &at, 128);
  memcpy(x, &pickable, 128);
  for (int32_t i = 0; i < 128; ++i) y[i] |= places[i] < 128 ? x[places[i]] : 0;
  return hone_v_load(y);
}
HONE_INLINE hone_v hone_v_times(hone_v x, int32_t by) {
  HONE_V_WORDS((int32_t)((uint32_t)x.w[i] * (uint32_t)by));
}
HONE_INLINE hone_v hone_v_sub_bytes(hone_v a, hone_v b) {
  uint8_t x[128], y[128];
  memcpy(x, &a, 128);
  memcpy(y, &b, 128);
  for (int32_t i = 0; i < 128; ++i) x[i] = (uint8_t)(x[i] - y[i]);
  return hone_v_load(x);
}
HONE_INLINE int64_t hone_eight_at(const int8_t *x) {
  int64_t eight;
  memcpy(&eight, x, sizeof(eight));
  return eight;
}
typedef int32_t hone_sums;
HONE_INLINE hone_sums hone_eight_bytes(hone_sums sums, int64_t eight) {
  for (int32_t j = 0; j < 64; j += 8) sums += 128 * (int8_t)((uint64_t)eight >> j & 0xff);
  return sums;
}
HONE_INLINE int32_t hone_sum_of(hone_sums sums) { return sums; }
#endif

HONE_INLINE hone_v hone_v_added(hone_v2 x) { return hone_v_add(x.low, x.high); }
