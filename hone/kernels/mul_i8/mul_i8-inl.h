// For mul_i8_neon.cc and mul_i8_hwy.cc.

#if defined(HONE_KERNELS_MUL_I8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_MUL_I8_INL_H_
#undef HONE_KERNELS_MUL_I8_INL_H_
#else
#define HONE_KERNELS_MUL_I8_INL_H_
#endif

#include "hone/kernels/binary_bytes-inl.h"
#include "hone/kernels/mul_i8/mul_i8.h"
#include "hone/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// For binary_bytes: Bytes is NeonBytes or HwyBytes, Scale is NeonScale or HwyScale with a rounding.
template <class Bytes, class Scale, class T>
struct MulBytes {
  using Block = typename Bytes::Block;
  static constexpr size_t kLanes = Bytes::kLanes;

  const MulI8Args<T>& p;
  Scale scale;

  explicit HWY_INLINE MulBytes(const MulI8Args<T>& args) : p(args), scale(args.factor) {}

  HWY_INLINE Block left(const T* x) const { return Bytes::template load<0>(x, p.a_zero); }
  HWY_INLINE Block right(const T* x) const { return Bytes::template load<0>(x, p.b_zero); }

  HWY_INLINE void store(T* y, Block left, const Block& right) const {
    HONE_UNROLL
    for (size_t i = 0; i < Bytes::kVectors; ++i) left.v[i] = Bytes::mul(left.v[i], right.v[i]);
    scale.apply(left.v);
    Bytes::store(y, left, p.y_zero, p.low, p.high);
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_MUL_I8_INL_H_
