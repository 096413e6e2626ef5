#include <cmath>

#include "hone/kernels/layer_norm/layer_norm.h"

namespace hone {

template <class T>
void layer_norm_ref(const LayerNormArgs<T>& p) {
  const auto n = static_cast<double>(p.cols);
  for (size_t r = 0; r < p.rows; ++r) {
    const T* x = p.x + r * p.cols;
    double mean = 0, square = 0;
    for (size_t c = 0; c < p.cols && !p.rms; ++c) mean += double{float{x[c]}} / n;
    for (size_t c = 0; c < p.cols; ++c) square += std::pow(double{float{x[c]}} - mean, 2) / n;
    const double inverse = 1 / std::sqrt(square + double{p.epsilon});
    for (size_t c = 0; c < p.cols; ++c) {
      double y = (double{float{x[c]}} - mean) * inverse;
      if (p.scale != nullptr) y *= double{float{p.scale[c]}};
      if (p.bias != nullptr) y += double{float{p.bias[c]}};
      p.y[r * p.cols + c] = T(static_cast<float>(y));
    }
  }
}

template void layer_norm_ref(const LayerNormArgs<float>& args);
template void layer_norm_ref(const LayerNormArgs<Half>& args);

}  // namespace hone
