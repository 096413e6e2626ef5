#include <algorithm>
#include <cmath>

#include "hone/kernels/activate/activate.h"

namespace hone {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// x * gate, where a gate of zero wins over an infinite x.
double gated(double x, double gate) {
  return gate == 0 ? 0.0 : x * gate;
}

double apply(const Activation& f, double x) {
  if (std::isnan(x)) return x;
  switch (f.kind) {
    case Activation::Kind::Clamp:
      return std::max(double{f.low}, std::min(double{f.high}, x));
    case Activation::Kind::LeakyRelu:
      return x < 0 ? f.alpha * x : x;
    case Activation::Kind::Sigmoid:
      return sigmoid(x);
    case Activation::Kind::Silu:
      return gated(x, sigmoid(x));
    case Activation::Kind::HardSigmoid:
      return std::clamp(f.alpha * x + f.beta, 0.0, 1.0);
    case Activation::Kind::HardSwish:
      return gated(x, std::clamp(x / 6 + 0.5, 0.0, 1.0));
    case Activation::Kind::Tanh:
      return std::tanh(x);
    case Activation::Kind::Gelu:
      return gated(x, std::erfc(-x * std::sqrt(0.5)) / 2);
    case Activation::Kind::GeluTanh:
      return gated(x, sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  return x;
}

template <class T>
void activate(const Activation& f, size_t rows, size_t cols, const T* x, size_t x_stride, T* y,
              size_t y_stride) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) {
      const float value = x[r * x_stride + c];
      y[r * y_stride + c] = T(static_cast<float>(apply(f, double{value})));
    }
  }
}

}  // namespace

void activate_f32_ref(const Activation& activation, size_t rows, size_t cols, const float* x,
                      size_t x_stride, float* y, size_t y_stride) {
  activate(activation, rows, cols, x, x_stride, y, y_stride);
}

void activate_f16_ref(const Activation& activation, size_t rows, size_t cols, const Half* x,
                      size_t x_stride, Half* y, size_t y_stride) {
  activate(activation, rows, cols, x, x_stride, y, y_stride);
}

}  // namespace hone
