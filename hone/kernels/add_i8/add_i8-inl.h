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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_ADD_I8_INL_H_
