#include <algorithm>

#include "hone/kernels/mul_i8/mul_i8.h"

namespace hone {

template <class T>
void mul_i8_ref(const MulI8Args<T>& p) {
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t c = 0; c < p.cols; ++c) {
      const int32_t a = p.a.data[r * p.a.row_stride + c * p.a.col_stride] - p.a_zero;
      const int32_t b = p.b.data[r * p.b.row_stride + c * p.b.col_stride] - p.b_zero;
      const int64_t y = int64_t{scale_by(a * b, p.factor, p.rounding)} + p.y_zero;
      p.y[r * p.y_stride + c] = static_cast<T>(std::clamp<int64_t>(y, p.low, p.high));
    }
  }
}

template void mul_i8_ref(const MulI8Args<int8_t>& args);
template void mul_i8_ref(const MulI8Args<uint8_t>& args);

}  // namespace hone
