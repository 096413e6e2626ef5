// For add_i8_neon.cc and add_i8_hwy.cc.

#if defined(HONE_KERNELS_ADD_I8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_ADD_I8_INL_H_
#undef HONE_KERNELS_ADD_I8_INL_H_
#else
#define HONE_KERNELS_ADD_I8_INL_H_
#endif

#include "hone/kernels/add_i8/add_i8.h"
#include "hone/kernels/binary_bytes-inl.h"
#include "hone/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// For binary_bytes: Bytes is NeonBytes or HwyBytes, Scale is NeonScale or HwyScale with a rounding.
template <class Bytes, class Scale, class T>
struct AddBytes {
  using Block = typename Bytes::Block;
  static constexpr size_t kLanes = Bytes::kLanes;

  const AddI8Args<T>& p;
  Scale scale_a, scale_b, scale_y;

  explicit HWY_INLINE AddBytes(const AddI8Args<T>& args)
      : p(args), scale_a(args.a_factor), scale_b(args.b_factor), scale_y(args.y_factor) {}

  HWY_INLINE Block left(const T* x) const {
    Block block = Bytes::template load<kAddI8Headroom>(x, p.a_zero);
    scale_a.apply(block.v);
    return block;
  }
  HWY_INLINE Block right(const T* x) const {
    Block block = Bytes::template load<kAddI8Headroom>(x, p.b_zero);
    scale_b.apply(block.v);
    return block;
  }

  HWY_INLINE void store(T* y, Block left, const Block& right) const {
    HONE_UNROLL
    for (size_t i = 0; i < Bytes::kVectors; ++i) {
      left.v[i] =
          p.subtract ? Bytes::sub(left.v[i], right.v[i]) : Bytes::add(left.v[i], right.v[i]);
    }
    scale_y.apply(left.v);
    Bytes::store(y, left, p.y_zero, p.low, p.high);
  }
};

// The same of a line.
template <class Bytes, class T>
struct LineBytes {
  using Block = typename Bytes::Block;
  using Vec = typename Bytes::Vec;
  static constexpr size_t kLanes = Bytes::kLanes;

  Vec a_slope, b_slope, offset;
  int shift;
  int32_t zero, low, high;

  explicit HWY_INLINE LineBytes(const AddI8Args<T>& p)
      : a_slope(Bytes::broadcast(p.line->a_slope)),
        b_slope(Bytes::broadcast(p.line->b_slope)),
        offset(Bytes::broadcast(p.line->offset)),
        shift(p.line->shift),
        zero(p.line->zero),
        low(p.low),
        high(p.high) {}

  HWY_INLINE Block left(const T* x) const {
    Block block = Bytes::template load<0>(x, 0);
    HONE_UNROLL
    for (Vec& v : block.v) v = Bytes::add(offset, Bytes::mul(v, a_slope));
    return block;
  }
  HWY_INLINE Block right(const T* x) const {
    Block block = Bytes::template load<0>(x, 0);
    HONE_UNROLL
    for (Vec& v : block.v) v = Bytes::mul(v, b_slope);
    return block;
  }

  HWY_INLINE void store(T* y, Block left, const Block& right) const {
    HONE_UNROLL
    for (size_t i = 0; i < Bytes::kVectors; ++i) {
      left.v[i] = Bytes::shift_right(Bytes::add(left.v[i], right.v[i]), shift);
    }
    Bytes::store(y, left, zero, low, high);
  }
};

// By the line where there is one. Bytes and Scale as binary_bytes has them.
template <template <class> class Bytes, template <Rounding> class Scale, class T>
void add_bytes(const AddI8Args<T>& p) {
  if (p.line) return walk_operands(LineBytes<Bytes<T>, T>(p), p);
  binary_bytes<AddBytes, Bytes, Scale>(p);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_ADD_I8_INL_H_
