#include "hone/kernels/column_sums/column_sums.h"

namespace hone {

template <class T>
void column_sums_ref(size_t rows, size_t cols, size_t stride, const T* x, int32_t* sums) {
  for (size_t c = 0; c < cols; ++c) {
    uint32_t sum = 0;
    for (size_t r = 0; r < rows; ++r) sum += static_cast<uint32_t>(x[r * stride + c]);
    sums[c] = static_cast<int32_t>(sum);
  }
}

template void column_sums_ref(size_t rows, size_t cols, size_t stride, const int8_t* x,
                              int32_t* sums);
template void column_sums_ref(size_t rows, size_t cols, size_t stride, const uint8_t* x,
                              int32_t* sums);

}  // namespace hone
