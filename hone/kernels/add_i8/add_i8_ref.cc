#include <algorithm>

#include "hone/kernels/add_i8/add_i8.h"

namespace hone {

template <class T>
void add_i8_ref(const AddI8Args<T>& p) {
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t c = 0; c < p.cols; ++c) {
      const int32_t a = p.a.data[r * p.a.row_stride + c * p.a.col_stride] - p.a_zero;
      const int32_t b = p.b.data[r * p.b.row_stride + c * p.b.col_stride] - p.b_zero;
      const int32_t left = scale_by(a * (1 << kAddI8Headroom), p.a_factor, p.rounding);
      const int32_t right = scale_by(b * (1 << kAddI8Headroom), p.b_factor, p.rounding);
      const int32_t sum = p.subtract ? left - right : left + right;
      const int64_t y = int64_t{scale_by(sum, p.y_factor, p.rounding)} + p.y_zero;
      p.y[r * p.y_stride + c] = static_cast<T>(std::clamp<int64_t>(y, p.low, p.high));
    }
  }
}

template void add_i8_ref(const AddI8Args<int8_t>& args);
template void add_i8_ref(const AddI8Args<uint8_t>& args);

}  // namespace hone
