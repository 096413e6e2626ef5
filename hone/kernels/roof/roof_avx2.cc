#include <immintrin.h>

#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

// Twelve sums: two pipes of five cycles need ten, and 16 registers hold no more than 14.
struct Fma256 : RoofOp<float> {
  using Operand = __m256;
  using Vec = __m256;
  static constexpr size_t kRows = 3;

  static Vec load_sum(const int32_t* x) {
    return _mm256_load_ps(reinterpret_cast<const float*>(x));
  }
  static Operand load(const Element* x) { return _mm256_load_ps(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return _mm256_fmadd_ps(a, b, sum); }
  static double total(Vec sum) {
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, sum);
    double result = 0;
    for (const float lane : lanes) result += static_cast<double>(lane);
    return result;
  }
};

// The most bytes that AVX2 multiplies: pairs of products in 16 bits (which saturate, so exact
// kernels cannot use it for all weights), pairs of those in 32, and their sum.
struct Vpmaddubsw : RoofOp<int8_t> {
  using Operand = __m256i;
  using Vec = __m256i;
  static constexpr size_t kRows = 2;  // Only the last of the three waits for the sum: one cycle.
  static constexpr bool kFreshOperand = true;

  static Vec load_sum(const int32_t* x) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(x));
  }
  static Operand load(const Element* x) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(x));
  }
  static Vec add(Vec sum, Operand a, Operand b) {
    const __m256i pairs = _mm256_maddubs_epi16(a, b);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static double total(Vec sum) {
    alignas(32) int32_t lanes[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum);
    double result = 0;
    for (const int32_t lane : lanes) result += lane;
    return result;
  }
};

}  // namespace

double roof_fp32_avx2(size_t rounds) {
  return roof_loop<Fma256>(rounds);
}

double roof_int8_avx2(size_t rounds) {
  return roof_loop<Vpmaddubsw>(rounds);
}

}  // namespace hone
