#include <algorithm>

#include "hone/kernels/gemm/gemm.h"

namespace hone {

template <class T>
void gemm_pack(const GemmWeights<T>& w, size_t nr, size_t first, size_t last, T* out) {
  for (size_t panel = first; panel < last; ++panel) {
    const size_t column = panel * nr;
    const size_t cols = std::min(nr, w.n - column);
    for (size_t c = 0; c < nr; ++c) {
      *out++ = c < cols && w.bias != nullptr ? w.bias[column + c] : T{};
    }
    const T* from = w.data + column * w.column_stride;
    for (size_t k = 0; k < w.k; ++k, from += w.depth_stride) {
      for (size_t c = 0; c < nr; ++c) *out++ = c < cols ? from[c * w.column_stride] : T{};
    }
  }
}
template void gemm_pack(const GemmWeights<float>&, size_t, size_t, size_t, float*);
template void gemm_pack(const GemmWeights<Half>&, size_t, size_t, size_t, Half*);

}  // namespace hone
