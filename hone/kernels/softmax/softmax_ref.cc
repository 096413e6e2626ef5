#include <algorithm>
#include <cmath>

#include "hone/kernels/softmax/softmax.h"

namespace hone {

template <class T>
void softmax_ref(size_t rows, size_t cols, const T* x, T* y) {
  for (size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float max = x[0];
    for (size_t c = 1; c < cols; ++c) max = std::max<float>(max, x[c]);
    double sum = 0;
    for (size_t c = 0; c < cols; ++c) sum += std::exp(double{float{x[c]} - max});
    for (size_t c = 0; c < cols; ++c) {
      y[c] = T(static_cast<float>(std::exp(double{float{x[c]} - max}) / sum));
    }
  }
}

template void softmax_ref(size_t rows, size_t cols, const float* x, float* y);
template void softmax_ref(size_t rows, size_t cols, const Half* x, Half* y);

}  // namespace hone
