#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/column_sums/column_sums_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hwy/highway.h"

namespace hone {

template <class T>
void column_sums_ref(size_t rows, size_t cols, size_t stride, const T* x, int32_t* sums);

}  // namespace hone

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kRowsIn16Bits = 128;

// As many sums as D16 has lanes, in 16 bits for as long as they surely fit.
template <class D16, class T>
HWY_INLINE void sum_block(D16 d16, size_t rows, size_t stride, const T* x, int32_t* sums) {
  const hn::Rebind<T, D16> d_bytes;
  const hn::RepartitionToWide<D16> d32;
  auto low = hn::Zero(d32), high = hn::Zero(d32);
  for (size_t row = 0; row < rows;) {
    const size_t end = std::min(rows, row + kRowsIn16Bits);
    auto narrow = hn::Zero(d16);
    for (; row < end; ++row, x += stride) {
      narrow = hn::Add(narrow, hn::PromoteTo(d16, hn::LoadU(d_bytes, x)));
    }
    low = hn::Add(low, hn::PromoteTo(d32, hn::LowerHalf(narrow)));
    high = hn::Add(high, hn::PromoteTo(d32, hn::UpperHalf(hn::Half<D16>(), narrow)));
  }
  hn::StoreU(low, d32, sums);
  hn::StoreU(high, d32, sums + hn::MaxLanes(d32));
}

template <class D16, class T>
HWY_INLINE void sum_blocks(D16 d16, size_t rows, size_t cols, size_t stride, const T* x,
                           int32_t* sums) {
  constexpr size_t kLanes = hn::MaxLanes(D16());
  size_t c = 0;
  for (; c + kLanes <= cols; c += kLanes) sum_block(d16, rows, stride, x + c, sums + c);
  // The last block overlaps the one before it.
  if (c < cols) sum_block(d16, rows, stride, x + cols - kLanes, sums + cols - kLanes);
}

template <class T>
void sum_columns(size_t rows, size_t cols, size_t stride, const T* x, int32_t* sums) {
  const hn::ScalableTag<int16_t> whole;
  const hn::FixedTag<int16_t, 8> least;
  if (cols >= hn::MaxLanes(whole)) return sum_blocks(whole, rows, cols, stride, x, sums);
  if (cols >= hn::MaxLanes(least)) return sum_blocks(least, rows, cols, stride, x, sums);
  column_sums_ref(rows, cols, stride, x, sums);
}

}  // namespace

void column_sums_i8(size_t rows, size_t cols, size_t stride, const int8_t* x, int32_t* sums) {
  sum_columns(rows, cols, stride, x, sums);
}

void column_sums_u8(size_t rows, size_t cols, size_t stride, const uint8_t* x, int32_t* sums) {
  sum_columns(rows, cols, stride, x, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(column_sums_i8);
HWY_EXPORT(column_sums_u8);

void column_sums_i8_hwy(size_t rows, size_t cols, size_t stride, const int8_t* x, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(column_sums_i8)(rows, cols, stride, x, sums);
}

void column_sums_u8_hwy(size_t rows, size_t cols, size_t stride, const uint8_t* x, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(column_sums_u8)(rows, cols, stride, x, sums);
}

}  // namespace hone
#endif  // HWY_ONCE
