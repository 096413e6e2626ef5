#include "hone/kernels/hwy_targets.h"

#include <algorithm>
#include <cstring>

#include "hone/kernels/bytes_neon.h"
#include "hone/kernels/mul_i8/mul_i8-inl.h"

namespace hone {
namespace {

// Products of sixteen columns with the same bytes in every row.
template <class T>
class LineBlock {
  using Bytes = NeonBytes<T>;

 public:
  LineBlock(const MulI8Args<T>& p, const T* b, size_t columns)
      : right_(vdupq_n_s32(-p.lines->shift)), zero_(p.y_zero), low_(p.low), high_(p.high) {
    int32_t slopes[Bytes::kLanes] = {}, offsets[Bytes::kLanes] = {};
    for (size_t c = 0; c < columns; ++c) {
      const auto bits = static_cast<uint8_t>(b[c]);
      slopes[c] = p.lines->slopes[bits];
      offsets[c] = p.lines->offsets[bits];
    }
    HONE_UNROLL
    for (size_t i = 0; i < Bytes::kVectors; ++i) {
      slopes_[i] = vld1q_s32(slopes + 4 * i);
      offsets_[i] = vld1q_s32(offsets + 4 * i);
    }
  }

  void operator()(const T* a, T* y) const {
    typename Bytes::Block x = Bytes::template load<0>(a, 0);
    HONE_UNROLL
    for (size_t i = 0; i < Bytes::kVectors; ++i) {
      x.v[i] = vshlq_s32(vmlaq_s32(offsets_[i], x.v[i], slopes_[i]), right_);
    }
    Bytes::store(y, x, zero_, low_, high_);
  }

 private:
  int32x4_t slopes_[Bytes::kVectors], offsets_[Bytes::kVectors];
  int32x4_t right_;
  int32_t zero_, low_, high_;
};

// The rows of up to sixteen columns from `c` on. Whole blocks have a loop of their own: a call in it
// would have all constants loaded again.
template <class T>
void multiply_columns(const MulI8Args<T>& p, size_t c, size_t columns) {
  constexpr size_t kLanes = NeonBytes<T>::kLanes;
  const LineBlock<T> block(p, p.b.data + c, columns);
  const size_t rows = p.rows, a_stride = p.a.row_stride, y_stride = p.y_stride;
  const T* a = p.a.data + c;
  T* y = p.y + c;
  if (columns == kLanes) {
    for (size_t r = 0; r < rows; ++r) block(a + r * a_stride, y + r * y_stride);
    return;
  }
  for (size_t r = 0; r < rows; ++r) {
    T some[kLanes] = {};
    std::memcpy(some, a + r * a_stride, columns);
    block(some, some);
    std::memcpy(y + r * y_stride, some, columns);
  }
}

template <class T>
void multiply_by_lines(const MulI8Args<T>& p) {
  constexpr size_t kLanes = NeonBytes<T>::kLanes;
  for (size_t c = 0; c < p.cols; c += kLanes) {
    multiply_columns(p, c, std::min(kLanes, p.cols - c));
  }
}

}  // namespace

void mul_i8_neon(const MulI8Args<int8_t>& args) {
  if (args.has_lines()) return multiply_by_lines(args);
  HWY_NAMESPACE::binary_bytes<HWY_NAMESPACE::MulBytes, NeonBytes, NeonScale>(args);
}

void mul_u8_neon(const MulI8Args<uint8_t>& args) {
  if (args.has_lines()) return multiply_by_lines(args);
  HWY_NAMESPACE::binary_bytes<HWY_NAMESPACE::MulBytes, NeonBytes, NeonScale>(args);
}

}  // namespace hone
