#include <algorithm>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"

namespace hone {
namespace {

template <class Y>
Y result(const GemmI8Panel& panel, size_t o, int32_t sum) {
  if constexpr (std::is_same_v<Y, int32_t>) return sum;
  const GemmI8PanelHeader& header = *panel.header;
  const FixedPoint factor{panel.multipliers[o], panel.shifts[o]};
  const int64_t y = int64_t{scale_by(sum, factor, header.rounding)} + header.zero_point;
  return static_cast<Y>(std::clamp<int64_t>(y, header.low, header.high));
}

}  // namespace

template <class A, class Y>
void gemm_i8_ref(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, kGemmI8RefColumns);
  // Tiles of one row: a row is followed by the next, each padded to a multiple of 8.
  const size_t a_stride = (strip.k + 7) / 8 * 8;
  for (size_t r = 0; r < strip.rows; ++r) {
    for (size_t o = 0; o < strip.cols; ++o) {
      auto sum = static_cast<uint32_t>(panel.bias[o]);
      for (size_t k = 0; k < strip.k; ++k) {
        const int product = strip.a[r * a_stride + k] * panel.weights[k * kGemmI8RefColumns + o];
        sum += static_cast<uint32_t>(product);
      }
      strip.y[r * strip.y_stride + o] = result<Y>(panel, o, static_cast<int32_t>(sum));
    }
  }
}

template void gemm_i8_ref(const GemmI8Strip<int8_t>&);
template void gemm_i8_ref(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_ref(const GemmI8Strip<uint8_t>&);
template void gemm_i8_ref(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
