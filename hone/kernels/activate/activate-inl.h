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

// A functor from a function of vectors without parameters.
template <class V, typename V::Vec (*kFunction)(typename V::Vec)>
struct FunctionOf {
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const { return kFunction(x); }
};

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
      return map(FunctionOf<V, sigmoid_of<V>>{});
    case Activation::Kind::Silu:
      return map(FunctionOf<V, silu_of<V>>{});
    case Activation::Kind::HardSigmoid:
      return map(HardSigmoidOf<V>{V::broadcast(f.alpha), V::broadcast(f.beta)});
    case Activation::Kind::HardSwish:
      return map(HardSwishOf<V>{});
    case Activation::Kind::Tanh:
      return map(FunctionOf<V, tanh_of<V>>{});
    case Activation::Kind::Gelu:
      return map_rows<Wide>(FunctionOf<Wide, gelu_of<Wide>>{}, rows, cols,
                            reinterpret_cast<const typename Wide::Element*>(x), x_stride,
                            reinterpret_cast<typename Wide::Element*>(y), y_stride);
    case Activation::Kind::GeluTanh:
      return map(FunctionOf<V, gelu_tanh_of<V>>{});
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_ACTIVATE_INL_H_
