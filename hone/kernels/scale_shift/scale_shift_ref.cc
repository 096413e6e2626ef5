#include <algorithm>
#include <cmath>

#include "hone/kernels/scale_shift/scale_shift.h"

namespace hone {
namespace {

template <class T>
void scale_shift(const ScaleShiftArgs<T>& p) {
  for (size_t i = 0; i < p.rows * p.cols; ++i) {
    const size_t channel = p.per_row ? i / p.cols : i % p.cols;
    const float result = float{p.x[i]} * p.scale[channel] + p.shift[channel];
    p.y[i] = T(std::isnan(result) ? result : std::max(p.low, std::min(p.high, result)));
  }
}

}  // namespace

void scale_shift_f32_ref(const ScaleShiftArgs<float>& args) {
  scale_shift(args);
}

void scale_shift_f16_ref(const ScaleShiftArgs<Half>& args) {
  scale_shift(args);
}

}  // namespace hone
