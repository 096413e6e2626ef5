// Four vectors that go through a function side by side, step by step. One after the other, a
// function of some twenty dependent steps fills the scheduler of a CPU with steps that wait, and
// the next vectors are not reached in time to use its pipes.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_VECTOR_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_VECTOR_GROUP_INL_H_
#undef HONE_KERNELS_VECTOR_GROUP_INL_H_
#else
#define HONE_KERNELS_VECTOR_GROUP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// With V's operations, as far as functions of vector_math-inl.h use them.
template <class V>
struct VectorGroup {
  struct Vec {
    typename V::Vec a, b, c, d;
  };
  using Element = typename V::Element;
  static constexpr size_t kLanes = 4 * V::kLanes;
  static constexpr bool kHalf = V::kHalf;

  static HWY_INLINE Vec load(const Element* x) {
    constexpr size_t kStep = V::kLanes;
    return {V::load(x), V::load(x + kStep), V::load(x + 2 * kStep), V::load(x + 3 * kStep)};
  }
  static HWY_INLINE void store(Element* y, const Vec& x) {
    V::store(y, x.a);
    V::store(y + V::kLanes, x.b);
    V::store(y + 2 * V::kLanes, x.c);
    V::store(y + 3 * V::kLanes, x.d);
  }
  static HWY_INLINE Vec broadcast(float value) {
    const auto x = V::broadcast(value);
    return {x, x, x, x};
  }
  static HWY_INLINE Vec sub(const Vec& x, const Vec& y) { return each<V::sub>(x, y); }
  static HWY_INLINE Vec mul(const Vec& x, const Vec& y) { return each<V::mul>(x, y); }
  static HWY_INLINE Vec min(const Vec& x, const Vec& y) { return each<V::min>(x, y); }
  static HWY_INLINE Vec max(const Vec& x, const Vec& y) { return each<V::max>(x, y); }
  static HWY_INLINE Vec abs(const Vec& x) { return each<V::abs>(x); }
  static HWY_INLINE Vec fma(const Vec& sum, const Vec& x, const Vec& y) {
    return each<V::fma>(sum, x, y);
  }
  static HWY_INLINE Vec fms(const Vec& sum, const Vec& x, const Vec& y) {
    return each<V::fms>(sum, x, y);
  }
  static HWY_INLINE Vec reciprocal(const Vec& x) { return each<V::reciprocal>(x); }
  static HWY_INLINE Vec quotient(const Vec& x, const Vec& y) { return each<V::quotient>(x, y); }
  static HWY_INLINE Vec copy_sign(const Vec& x, const Vec& y) { return each<V::copy_sign>(x, y); }
  static HWY_INLINE Vec shift_to_exponent(const Vec& x) { return each<V::shift_to_exponent>(x); }

 private:
  template <auto kFunction, class... Operands>
  static HWY_INLINE Vec each(const Operands&... x) {
    return {kFunction(x.a...), kFunction(x.b...), kFunction(x.c...), kFunction(x.d...)};
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_VECTOR_GROUP_INL_H_
