// scale_by of a vector of sums, each with a factor of its own, for AVX2 and AVX-512. Multipliers
// are not negative. V is a vector of int32 lanes, such as Int32x8 of x86_vectors.h: V::Vec and the static functions
// the code below names.
#pragma once

#include <cstdint>
#include <limits>

#include "hone/tensor/fixed_point.h"

namespace hone {
namespace {

// A product of 64 bits for every other lane.
template <class V>
struct Products {
  typename V::Vec even;
  typename V::Vec odd;

  Products(typename V::Vec a, typename V::Vec b)
      : even(V::mul_even(a, b)),
        odd(V::mul_even(V::template srl64<32>(a), V::template srl64<32>(b))) {}
};

// saturating_rounding_doubling_high_mul with b >= 0, where nothing saturates: bits 31 .. 62 of the
// rounded product. A logical shift does, since those above are not looked at.
template <class V>
inline typename V::Vec high_mul(typename V::Vec a, typename V::Vec b) {
  const Products<V> product(a, b);
  const typename V::Vec half = V::set64(int64_t{1} << 30);
  const typename V::Vec even = V::template srl64<31>(V::add64(product.even, half));
  const typename V::Vec odd = V::template sll64<1>(V::add64(product.odd, half));
  return V::blend_odd(even, odd);
}

// The same of the product as it is: what a rounding after it needs to be the only one.
template <class V>
inline typename V::Vec high_mul_down(typename V::Vec a, typename V::Vec b) {
  const Products<V> product(a, b);
  return V::blend_odd(V::template srl64<31>(product.even), V::template sll64<1>(product.odd));
}

// x / 2^right, ties upward. The last bit shifted out is added rather than half of the divisor,
// which could overflow. A shift by 2^32 - 1 gives 0, so right may be 0.
template <class V>
inline typename V::Vec round_shift(typename V::Vec x, typename V::Vec right) {
  const typename V::Vec one = V::set(1);
  const typename V::Vec last = V::and_(V::srlv(x, V::sub(right, one)), one);
  return V::add(V::srav(x, right), last);
}

// For the two rules that round twice.
template <class V>
inline typename V::Vec scale_twice(typename V::Vec x, typename V::Vec multiplier,
                                   typename V::Vec shift, bool upward) {
  const typename V::Vec zero = V::set(0);
  const typename V::Vec left = V::max(shift, zero);
  const typename V::Vec right = V::max(V::sub(zero, shift), zero);
  const typename V::Vec high = high_mul<V>(V::sllv(x, left), multiplier);
  if (upward) return round_shift<V>(high, right);
  // shift < 0: its sign is the mask of lanes that are shifted at all.
  const typename V::Vec fix = V::and_(V::sign(high), V::sign(shift));
  return round_shift<V>(V::add(high, fix), right);
}

// The low half of a 64-bit product times 2^-right, rounded once; of one for every two lanes. AVX2
// has no arithmetic shift of 64 bits: with the sign bit flipped a logical one is off by a constant.
template <class V>
inline typename V::Vec round_shift64(typename V::Vec product, typename V::Vec right) {
  const typename V::Vec top = V::set64(std::numeric_limits<int64_t>::min());
  const typename V::Vec half = V::sllv64(V::set64(1), V::sub64(right, V::set64(1)));
  const typename V::Vec biased = V::xor_(V::add64(product, half), top);
  return V::sub64(V::srlv64(biased, right), V::srlv64(top, right));
}

// For Rounding::Single.
template <class V>
inline typename V::Vec scale_once(typename V::Vec x, typename V::Vec multiplier,
                                  typename V::Vec shift) {
  using Vec = typename V::Vec;
  const Products<V> product(x, multiplier);
  const Vec right = V::sub(V::set(31), shift);
  const Vec low = V::set64(0xFFFFFFFF), zero = V::set(0);
  const Vec down = V::max(right, zero), up = V::max(V::sub(zero, right), zero);
  const Vec even = round_shift64<V>(product.even, V::and_(down, low));
  const Vec odd = round_shift64<V>(product.odd, V::template srl64<32>(down));
  const Vec even_up = V::sllv64(product.even, V::and_(up, low));
  const Vec odd_up = V::sllv64(product.odd, V::template srl64<32>(up));
  const Vec shifted = V::blend_odd(even, V::template sll64<32>(odd));
  const Vec raised = V::blend_odd(even_up, V::template sll64<32>(odd_up));
  return V::select_negative(right, raised, shifted);
}

template <class V>
inline typename V::Vec scale_by_x86(typename V::Vec x, typename V::Vec multiplier,
                                    typename V::Vec shift, Rounding rounding) {
  if (rounding == Rounding::Single) return scale_once<V>(x, multiplier, shift);
  return scale_twice<V>(x, multiplier, shift, rounding == Rounding::DoubleUpward);
}

}  // namespace
}  // namespace hone
