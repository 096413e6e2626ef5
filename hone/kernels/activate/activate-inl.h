// The activations on vectors, for activate_hwy.cc and activate_neon_fp16.cc.

#if defined(HONE_KERNELS_ACTIVATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_ACTIVATE_INL_H_
#undef HONE_KERNELS_ACTIVATE_INL_H_
#else
#define HONE_KERNELS_ACTIVATE_INL_H_
#endif

#include "hone/kernels/activation.h"
#include "hone/kernels/vector_math-inl.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// One functor per kind: a lambda would not take on the instruction set of its surroundings.
template <class V>
struct ClampOf {
  typename V::Vec low, high;
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const {
    return V::max(low, V::min(high, x));
  }
};

template <class V>
struct LeakyReluOf {
  typename V::Vec alpha;
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const {
    return V::if_negative(x, V::mul(alpha, x), x);
  }
};

template <class V>
struct HardSigmoidOf {
  typename V::Vec alpha, beta;
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const {
    const auto line = V::fma(beta, alpha, x);
    return V::max(V::broadcast(0.0f), V::min(V::broadcast(1.0f), line));
  }
};

// Below -3 the gate is zero; the bound keeps -infinity away from it.
template <class V>
struct HardSwishOf {
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const {
    const auto bounded = V::max(V::broadcast(-3.0f), x);
    const auto gate = V::fma(V::broadcast(0.5f), bounded, V::broadcast(1.0f / 6));
    return V::mul(bounded, V::max(V::broadcast(0.0f), V::min(V::broadcast(1.0f), gate)));
  }
};

// Functions without parameters, of vectors and of groups of them.
#define HONE_FUNCTION_OF(Name, function)                                                       \
  template <class V>                                                                           \
  struct Name {                                                                                \
    HWY_INLINE typename V::Vec operator()(typename V::Vec x) const { return function<V>(x); }  \
    HWY_INLINE typename VectorGroup<V>::Vec operator()(typename VectorGroup<V>::Vec x) const { \
      return function<VectorGroup<V>>(x);                                                      \
    }                                                                                          \
  };
HONE_FUNCTION_OF(SigmoidOf, sigmoid_of)
HONE_FUNCTION_OF(SiluOf, silu_of)
HONE_FUNCTION_OF(TanhOf, tanh_of)
HONE_FUNCTION_OF(GeluOf, gelu_of)
HONE_FUNCTION_OF(GeluTanhOf, gelu_tanh_of)
#undef HONE_FUNCTION_OF

// `Wide` computes Gelu, whose fit needs the precision of floats.
template <class V, class Wide>
void activate(const Activation& f, size_t rows, size_t cols, const typename V::Element* x,
              size_t x_stride, typename V::Element* y, size_t y_stride) {
  const auto map = [&](const auto& fn) { map_rows<V>(fn, rows, cols, x, x_stride, y, y_stride); };
  switch (f.kind) {
    case Activation::Kind::Clamp:
      return map(ClampOf<V>{V::broadcast(f.low), V::broadcast(f.high)});
    case Activation::Kind::LeakyRelu:
      return map(LeakyReluOf<V>{V::broadcast(f.alpha)});
    case Activation::Kind::Sigmoid:
      return map(SigmoidOf<V>{});
    case Activation::Kind::Silu:
      return map(SiluOf<V>{});
    case Activation::Kind::HardSigmoid:
      return map(HardSigmoidOf<V>{V::broadcast(f.alpha), V::broadcast(f.beta)});
    case Activation::Kind::HardSwish:
      return map(HardSwishOf<V>{});
    case Activation::Kind::Tanh:
      return map(TanhOf<V>{});
    case Activation::Kind::Gelu:
      return map_rows<Wide>(GeluOf<Wide>{}, rows, cols,
                            reinterpret_cast<const typename Wide::Element*>(x), x_stride,
                            reinterpret_cast<typename Wide::Element*>(y), y_stride);
    case Activation::Kind::GeluTanh:
      return map(GeluTanhOf<V>{});
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_ACTIVATE_INL_H_
