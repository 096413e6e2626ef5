#include <algorithm>

#include "hone/kernels/gemm/gemm.h"

namespace hone {
namespace {

// `width` columns of one k, of which `cols` exist.
template <class T>
T* pack_row(const T* from, size_t column_stride, size_t cols, size_t width, T* out) {
  if (column_stride == 1) {
    std::copy_n(from, cols, out);
  } else {
    for (size_t c = 0; c < cols; ++c) out[c] = from[c * column_stride];
  }
  std::fill(out + cols, out + width, T{});
  return out + width;
}

}  // namespace

template <class T>
void gemm_pack(const GemmWeights<T>& w, const GemmKernel<T>& kernel, size_t first, size_t last,
               T* out) {
  for (size_t panel = first; panel < last; ++panel) {
    const size_t column = panel * kernel.nr;
    const size_t cols = std::min(kernel.nr, w.n - column);
    const size_t width = kernel.panel_columns(cols);
    for (size_t c = 0; c < width; ++c) {
      *out++ = c < cols && w.bias != nullptr ? w.bias[column + c] : T{};
    }
    const T* from = w.data + column * w.column_stride;
    for (size_t k = 0; k < w.k; ++k, from += w.depth_stride) {
      out = pack_row(from, w.column_stride, cols, width, out);
    }
  }
}
template void gemm_pack(const GemmWeights<float>&, const GemmF32&, size_t, size_t, float*);
template void gemm_pack(const GemmWeights<Half>&, const GemmF16&, size_t, size_t, Half*);

}  // namespace hone
