#include <algorithm>
#include <cmath>

#include "hone/kernels/binary/binary.h"

namespace hone {
namespace {

float apply(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mul:
      return a * b;
    case BinaryOp::Div:
      return a / b;
    case BinaryOp::Max:
      return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
    case BinaryOp::Min:
      return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
  }
  return 0;
}

// The nearest T of the clamped result; NaN stays.
template <class T>
void binary(const BinaryArgs<T>& p) {
  const float low = T(p.low), high = T(p.high);
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t c = 0; c < p.cols; ++c) {
      const float a = p.a.data[r * p.a.row_stride + c * p.a.col_stride];
      const float b = p.b.data[r * p.b.row_stride + c * p.b.col_stride];
      const float result = apply(p.op, a, b);
      p.y[r * p.y_stride + c] =
          T(std::isnan(result) ? result : std::max(low, std::min(high, result)));
    }
  }
}

}  // namespace

void binary_f32_ref(const BinaryArgs<float>& args) {
  binary(args);
}

void binary_f16_ref(const BinaryArgs<Half>& args) {
  binary(args);
}

}  // namespace hone
