// Functions of vectors, written once for the interfaces of neon_vectors.h and hwy_vectors-inl.h.
// NaN passes through all of them. Errors are stated for vectors of floats; in halves, every step
// rounds to 11 bits and results are within a few units in the last place.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_VECTOR_MATH_INL_H_
#undef HONE_KERNELS_VECTOR_MATH_INL_H_
#else
#define HONE_KERNELS_VECTOR_MATH_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// sum + a * b, or with kMinus sum - a * b.
template <class V, bool kMinus>
HWY_INLINE typename V::Vec accumulate(typename V::Vec sum, typename V::Vec a, typename V::Vec b) {
  if constexpr (kMinus) {
    return V::fms(sum, a, b);
  } else {
    return V::fma(sum, a, b);
  }
}

// What exp needs to know of its number format. The polynomials are (exp(t) - 1) / t, of t or of -t,
// fitted to the least relative error of exp(t) on [-ln(2) / 2, ln(2) / 2].
struct ExpOfFloat {
  // Added to a number, rounds it to an integer; the lowest bits of the sum are integer + bias.
  static constexpr float kToInteger = 0x1.8p23f + 127;
  // Beyond these the exponent leaves its field.
  static constexpr float kLowest = -87.3f;
  static constexpr float kHighest = 88.3f;
#if HWY_NATIVE_FMA
  // The float nearest to ln(2) is off by 1.9e-9, which FMA multiplies by 127 at most.
  static constexpr float kLn2High = 0x1.62e43p-1f;
  static constexpr float kLn2Low = 0;
#else
  // ln(2) in two parts, the first with few enough bits for exact products.
  static constexpr float kLn2High = 0x1.62e4p-1f;
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
#endif

  // Within 1.1e-7.
  template <class V, bool kMinus>
  static HWY_INLINE typename V::Vec polynomial(typename V::Vec t) {
    auto q = V::broadcast(0.00831207288f);
    q = accumulate<V, kMinus>(V::broadcast(0.0418945038f), t, q);
    q = accumulate<V, kMinus>(V::broadcast(0.166671330f), t, q);
    q = accumulate<V, kMinus>(V::broadcast(0.499992017f), t, q);
    return accumulate<V, kMinus>(V::broadcast(1.0f), t, q);
  }
};

struct ExpOfHalf {
  static constexpr float kToInteger = 0x1.8p10f + 15;
  static constexpr float kLowest = -9.7f;
  static constexpr float kHighest = 10.74f;
  static constexpr float kLn2High = 0x1.63p-1f;
  static constexpr float kLn2Low = -2.12194440e-4f;

  // Within 1.3e-4, a quarter of a unit in the last place.
  template <class V, bool kMinus>
  static HWY_INLINE typename V::Vec polynomial(typename V::Vec t) {
    auto q = V::broadcast(0.16662841f);
    q = accumulate<V, kMinus>(V::broadcast(0.50401790f), t, q);
    return accumulate<V, kMinus>(V::broadcast(1.0f), t, q);
  }
};

template <class V>
using ExpOf = std::conditional_t<V::kHalf, ExpOfHalf, ExpOfFloat>;

// exp(x) = scale * (1 + t * q), or with kMinus exp(-x) = scale * (1 - t * q), with scale a power of
// two. The argument of exp must lie in [kLowest, kHighest].
template <class V>
struct ExpParts {
  typename V::Vec scale;
  typename V::Vec t;
  typename V::Vec q;
};

template <class V, bool kMinus>
HWY_INLINE ExpParts<V> exp_parts(typename V::Vec x) {
  using E = ExpOf<V>;
  const auto to_integer = V::broadcast(E::kToInteger);
  const auto shifted = accumulate<V, kMinus>(to_integer, x, V::broadcast(1.44269504f));
  const auto n = V::sub(shifted, to_integer);
  auto t = accumulate<V, !kMinus>(x, n, V::broadcast(E::kLn2High));
  if constexpr (E::kLn2Low != 0) t = accumulate<V, !kMinus>(t, n, V::broadcast(E::kLn2Low));
  return {V::shift_to_exponent(shifted), t, E::template polynomial<V, kMinus>(t)};
}

// exp(x) for x held to [kLowest, kHighest]. Relative error below 5e-7, 3e-7 up to |x| = 20.
template <class V>
HWY_INLINE typename V::Vec exp_of(typename V::Vec x) {
  using E = ExpOf<V>;
  const auto held = V::max(V::broadcast(E::kLowest), V::min(V::broadcast(E::kHighest), x));
  const ExpParts<V> e = exp_parts<V, false>(held);
  return V::mul(e.scale, V::fma(V::broadcast(1.0f), e.t, e.q));
}

// 1 / (1 + exp(-x)) for x >= -kHighest. Relative error below 6e-7, 4e-7 up to |x| = 20.
template <class V>
HWY_INLINE typename V::Vec sigmoid_of_bounded(typename V::Vec x) {
  const auto one = V::broadcast(1.0f);
  const ExpParts<V> e = exp_parts<V, true>(V::min(V::broadcast(-ExpOf<V>::kLowest), x));
  return V::reciprocal(V::fma(one, e.scale, V::fms(one, e.t, e.q)));
}

// The larger of x and the lowest that sigmoid_of_bounded takes.
template <class V>
HWY_INLINE typename V::Vec bound_below(typename V::Vec x) {
  return V::max(V::broadcast(-ExpOf<V>::kHighest), x);
}

template <class V>
HWY_INLINE typename V::Vec sigmoid_of(typename V::Vec x) {
  return sigmoid_of_bounded<V>(bound_below<V>(x));
}

// x * sigmoid(x). The bound keeps -infinity from meeting zero.
template <class V>
HWY_INLINE typename V::Vec silu_of(typename V::Vec x) {
  const auto bounded = bound_below<V>(x);
  return V::mul(bounded, sigmoid_of_bounded<V>(bounded));
}

// With e = exp(-2|x|) - 1, which is exact in relative terms near zero: -e / (e + 2) and the sign.
// Relative error below 1e-6.
template <class V>
HWY_INLINE typename V::Vec tanh_of(typename V::Vec x) {
  const auto twice = V::mul(V::abs(x), V::broadcast(2.0f));
  const ExpParts<V> p = exp_parts<V, true>(V::min(V::broadcast(-ExpOf<V>::kLowest), twice));
  const auto minus_e = V::fma(V::sub(V::broadcast(1.0f), p.scale), p.scale, V::mul(p.t, p.q));
  return V::copy_sign(V::quotient(minus_e, V::sub(V::broadcast(2.0f), minus_e)), x);
}

// x * (1 + erf(x / sqrt(2))) / 2 by x * (1/2 + x * P(x^2) / Q(x^2)), a fit on [-5.4, 5.4] with an
// error of 5.5e-9 beside the rounding, and the value at the end beyond. Error below 3e-7 * |x|.
template <class V>
HWY_INLINE typename V::Vec gelu_of(typename V::Vec x) {
  const auto bounded = V::max(V::broadcast(-5.4f), x);
  const auto z = V::min(V::broadcast(5.4f), bounded);
  const auto w = V::mul(z, z);
  auto p = V::fma(V::broadcast(6.359848827e-6f), w, V::broadcast(2.33864325e-8f));
  p = V::fma(V::broadcast(1.643147355e-4f), w, p);
  p = V::fma(V::broadcast(4.650810176e-3f), w, p);
  p = V::fma(V::broadcast(0.0333716671f), w, p);
  p = V::fma(V::broadcast(0.398942246f), w, p);
  auto q = V::fma(V::broadcast(7.23972641e-5f), w, V::broadcast(1.21656937e-6f));
  q = V::fma(V::broadcast(1.85894426e-3f), w, q);
  q = V::fma(V::broadcast(0.0283783476f), w, q);
  q = V::fma(V::broadcast(0.250316456f), w, q);
  q = V::fma(V::broadcast(1.0f), w, q);
  return V::mul(bounded, V::fma(V::broadcast(0.5f), z, V::quotient(p, q)));
}

// x / 2 * (1 + tanh(u)) = x * sigmoid(2 u) with u = sqrt(2 / pi) * (x + 0.044715 x^3).
template <class V>
HWY_INLINE typename V::Vec gelu_tanh_of(typename V::Vec x) {
  const auto bounded = V::max(V::broadcast(-10.0f), x);
  const auto factor =
      V::fma(V::broadcast(1.59576912f), V::mul(bounded, bounded), V::broadcast(0.0713548163f));
  return V::mul(bounded, sigmoid_of<V>(V::mul(bounded, factor)));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_VECTOR_MATH_INL_H_
