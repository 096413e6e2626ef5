#include "hone/base/sha256_blocks.h"

#include <bit>

// clang 14 hides the intrinsics unless the whole file is compiled for a CPU that has them.
#if defined(__aarch64__) && (!defined(__clang__) || defined(__ARM_FEATURE_SHA2))
#define HONE_SHA_ARM 1
#include <arm_neon.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#define HONE_SHA_X86 1
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace hone {
namespace {

// FIPS 180-4, section 4.2.2.
alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t load_big_endian(const std::byte* p) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<uint32_t>(p[i]);
  return word;
}

std::array<uint32_t, 64> schedule(const std::byte* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = load_big_endian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t x = w[t - 15];
    const uint32_t y = w[t - 2];
    const uint32_t s0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
    const uint32_t s1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  return w;
}

void add_block(Sha256State& state, const std::byte* block) {
  const std::array<uint32_t, 64> w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Sha256State sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += sum[i];
}

#if defined(HONE_SHA_ARM)

bool has_sha() {
  return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
}

// Four rounds at a time. m holds the 16 schedule words still to be used, four in each.
__attribute__((target("+crypto"))) void sha256_blocks_simd(Sha256State& state,
                                                           const std::byte* blocks, size_t count) {
  uint32x4_t abcd = vld1q_u32(state.data());
  uint32x4_t efgh = vld1q_u32(state.data() + 4);
  for (size_t block = 0; block < count; ++block) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(blocks + 64 * block);
    const uint32x4_t abcd_before = abcd;
    const uint32x4_t efgh_before = efgh;
    uint32x4_t m[4];
    for (size_t i = 0; i < 4; ++i) {
      m[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * i)));
    }
    for (size_t i = 0; i < 16; ++i) {
      uint32x4_t& words = m[i % 4];
      const uint32x4_t w = vaddq_u32(words, vld1q_u32(kRound + 4 * i));
      words =
          vsha256su1q_u32(vsha256su0q_u32(words, m[(i + 1) % 4]), m[(i + 2) % 4], m[(i + 3) % 4]);
      const uint32x4_t old_abcd = abcd;
      abcd = vsha256hq_u32(abcd, efgh, w);
      efgh = vsha256h2q_u32(efgh, old_abcd, w);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state.data(), abcd);
  vst1q_u32(state.data() + 4, efgh);
}

#elif defined(HONE_SHA_X86)

// Leaf 7, EBX bit 29. Every CPU that has it has the SSE4.1 that is used with it.
bool has_sha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

// Four rounds at a time. m holds the 16 schedule words still to be used, four in each. The
// instructions want the state as the vectors abef and cdgh, highest word first.
__attribute__((target("sha,sse4.1"))) void sha256_blocks_simd(Sha256State& state,
                                                              const std::byte* blocks,
                                                              size_t count) {
  auto* words_of_state = reinterpret_cast<__m128i*>(state.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words_of_state), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words_of_state + 1), 0x1b);
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (size_t block = 0; block < count; ++block) {
    const auto* bytes = reinterpret_cast<const __m128i*>(blocks + 64 * block);
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i m[4];
    for (size_t i = 0; i < 4; ++i) {
      m[i] = _mm_shuffle_epi8(_mm_loadu_si128(bytes + i), big_endian);
    }
    for (size_t i = 0; i < 16; ++i) {
      __m128i& words = m[i % 4];
      const __m128i last = m[(i + 3) % 4];
      const __m128i round = _mm_load_si128(reinterpret_cast<const __m128i*>(kRound + 4 * i));
      const __m128i w = _mm_add_epi32(words, round);
      const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(words, m[(i + 1) % 4]),
                                            _mm_alignr_epi8(last, m[(i + 2) % 4], 4));
      words = _mm_sha256msg2_epu32(partial, last);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, w);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(w, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words_of_state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words_of_state + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

}  // namespace

void sha256_blocks_ref(Sha256State& state, const std::byte* blocks, size_t count) {
  for (size_t i = 0; i < count; ++i) add_block(state, blocks + 64 * i);
}

void sha256_blocks(Sha256State& state, const std::byte* blocks, size_t count) {
#if defined(HONE_SHA_ARM) || defined(HONE_SHA_X86)
  static const bool simd = has_sha();
  if (simd) return sha256_blocks_simd(state, blocks, count);
#endif
  sha256_blocks_ref(state, blocks, count);
}

}  // namespace hone
