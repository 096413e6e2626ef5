// For rnn_gates_hwy.cc.

#if defined(HONE_KERNELS_RNN_GATES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_RNN_GATES_INL_H_
#undef HONE_KERNELS_RNN_GATES_INL_H_
#else
#define HONE_KERNELS_RNN_GATES_INL_H_
#endif

#include "hone/kernels/rnn_gates/rnn_gates.h"
#include "hone/kernels/vector_math-inl.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// `n` lanes of a row: all of a vector, or the first ones.
template <class V>
struct Lanes {
  using Vec = typename V::Vec;
  size_t n;

  HWY_INLINE Vec load(const float* x) const {
    return n == V::kLanes ? V::load(x) : load_first<V>(x, n);
  }
  HWY_INLINE void store(float* y, Vec x) const {
    return n == V::kLanes ? V::store(y, x) : store_first<V>(y, x, n);
  }
};

template <class V>
HWY_INLINE void lstm_lanes(const LstmGatesArgs& p, size_t b, size_t i, size_t n) {
  const Lanes<V> lanes{n};
  const float* gates = p.gates + b * p.gates_stride + i;
  float* c = p.c + b * p.hidden + i;
  const auto before = lanes.load(c);
  auto in = lanes.load(gates);
  auto out = lanes.load(gates + p.hidden);
  auto forget = lanes.load(gates + 2 * p.hidden);
  if (p.peepholes != nullptr) {
    in = V::fma(in, lanes.load(p.peepholes + i), before);
    forget = V::fma(forget, lanes.load(p.peepholes + 2 * p.hidden + i), before);
  }
  in = sigmoid_of<V>(in);
  forget = p.coupled ? V::sub(V::broadcast(1.0f), in) : sigmoid_of<V>(forget);
  const auto candidate = tanh_of<V>(lanes.load(gates + 3 * p.hidden));
  const auto after = V::fma(V::mul(forget, before), in, candidate);
  if (p.peepholes != nullptr) {
    out = V::fma(out, lanes.load(p.peepholes + p.hidden + i), after);
  }
  lanes.store(c, after);
  lanes.store(p.h + b * p.h_stride + i, V::mul(sigmoid_of<V>(out), tanh_of<V>(after)));
}

template <class V>
HWY_INLINE void gru_lanes(const GruGatesArgs& p, size_t b, size_t i, size_t n) {
  using Part = GruGatesArgs::Part;
  const Lanes<V> lanes{n};
  const float* x = p.x + b * p.x_stride + i;
  const float* r = p.r + b * p.r_stride + i;
  const auto h = lanes.load(p.h + b * p.h_stride + i);
  float* y = p.y + b * p.y_stride + i;
  auto reset = V::broadcast(1.0f);
  if (p.part != Part::Update) {
    reset = sigmoid_of<V>(V::add(lanes.load(x + p.hidden), lanes.load(r + p.hidden)));
  }
  if (p.part == Part::Reset) return lanes.store(y, V::mul(reset, h));
  const auto z = sigmoid_of<V>(V::add(lanes.load(x), lanes.load(r)));
  const auto candidate =
      tanh_of<V>(V::fma(lanes.load(x + 2 * p.hidden), reset, lanes.load(r + 2 * p.hidden)));
  // (1 - z) * candidate + z * h
  lanes.store(y, V::fma(candidate, z, V::sub(h, candidate)));
}

template <class V>
void lstm_gates_of(const LstmGatesArgs& p) {
  for (size_t b = 0; b < p.batch; ++b) {
    size_t i = 0;
    for (; i + V::kLanes <= p.hidden; i += V::kLanes) lstm_lanes<V>(p, b, i, V::kLanes);
    if (i < p.hidden) lstm_lanes<V>(p, b, i, p.hidden - i);
  }
}

template <class V>
void gru_gates_of(const GruGatesArgs& p) {
  for (size_t b = 0; b < p.batch; ++b) {
    size_t i = 0;
    for (; i + V::kLanes <= p.hidden; i += V::kLanes) gru_lanes<V>(p, b, i, V::kLanes);
    if (i < p.hidden) gru_lanes<V>(p, b, i, p.hidden - i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_RNN_GATES_INL_H_
