#include <cstddef>
#include <cstdint>

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/transpose/transpose.h"
#include "hone/kernels/unroll.h"
// For Highway's least instruction set only: squares are of 16-byte vectors, which it has.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// A square of as many rows as a 16-byte vector has lanes. Interleaving row i with row i + half, and
// that as often as the lanes can be halved, is a transpose.
template <class T>
HWY_INLINE void transpose_square(const T* x, size_t x_stride, T* y, size_t y_stride) {
  constexpr size_t kLanes = 16 / sizeof(T);
  using D = hn::FixedTag<T, kLanes>;
  hn::Vec<D> a[kLanes], b[kLanes];
  HONE_UNROLL
  for (size_t i = 0; i < kLanes; ++i) a[i] = hn::LoadU(D(), x + i * x_stride);
  HONE_UNROLL
  for (size_t step = kLanes; step > 1; step /= 2) {
    HONE_UNROLL
    for (size_t i = 0; i < kLanes / 2; ++i) {
      b[2 * i] = hn::InterleaveLower(D(), a[i], a[i + kLanes / 2]);
      b[2 * i + 1] = hn::InterleaveUpper(D(), a[i], a[i + kLanes / 2]);
    }
    HONE_UNROLL
    for (size_t i = 0; i < kLanes; ++i) a[i] = b[i];
  }
  HONE_UNROLL
  for (size_t i = 0; i < kLanes; ++i) hn::StoreU(a[i], D(), y + i * y_stride);
}

template <class T>
void transpose_edge(size_t rows, size_t cols, const T* x, size_t x_stride, T* y, size_t y_stride) {
  for (size_t c = 0; c < cols; ++c) {
    for (size_t r = 0; r < rows; ++r) y[c * y_stride + r] = x[r * x_stride + c];
  }
}

// The three colours of an image, side by side for every pixel.
template <class T>
HWY_INLINE void interleave_three(size_t cols, const T* x, size_t x_stride, T* y) {
  constexpr size_t kLanes = 16 / sizeof(T);
  const hn::FixedTag<T, kLanes> d;
  size_t c = 0;
  for (; c + kLanes <= cols; c += kLanes) {
    hn::StoreInterleaved3(hn::LoadU(d, x + c), hn::LoadU(d, x + x_stride + c),
                          hn::LoadU(d, x + 2 * x_stride + c), d, y + 3 * c);
  }
  transpose_edge(3, cols - c, x + c, x_stride, y + 3 * c, 3);
}

// Goes down the rows in bands of 64 bytes, so that a line of x is used up before the next.
template <class T>
HWY_INLINE void transpose(size_t rows, size_t cols, const T* x, size_t x_stride, T* y,
                          size_t y_stride) {
  constexpr size_t kLanes = 16 / sizeof(T), kBand = 64 / sizeof(T);
  if (rows == 3 && y_stride == 3) return interleave_three(cols, x, x_stride, y);
  const size_t whole_rows = rows / kLanes * kLanes, whole_cols = cols / kLanes * kLanes;
  for (size_t band = 0; band < whole_cols; band += kBand) {
    const size_t end = HWY_MIN(band + kBand, whole_cols);
    for (size_t r = 0; r < whole_rows; r += kLanes) {
      for (size_t c = band; c < end; c += kLanes) {
        transpose_square(x + r * x_stride + c, x_stride, y + c * y_stride + r, y_stride);
      }
    }
  }
  transpose_edge(rows, cols - whole_cols, x + whole_cols, x_stride, y + whole_cols * y_stride,
                 y_stride);
  transpose_edge(rows - whole_rows, whole_cols, x + whole_rows * x_stride, x_stride, y + whole_rows,
                 y_stride);
}

template <class T>
void transpose_of(size_t rows, size_t cols, const void* x, size_t x_stride, void* y,
                  size_t y_stride) {
  transpose(rows, cols, static_cast<const T*>(x), x_stride, static_cast<T*>(y), y_stride);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

namespace hone {

extern const Transpose2d kTransposeHwy = {
    HWY_NAMESPACE::transpose_of<uint8_t>, HWY_NAMESPACE::transpose_of<uint16_t>,
    HWY_NAMESPACE::transpose_of<uint32_t>, HWY_NAMESPACE::transpose_of<uint64_t>};

}  // namespace hone
