#include <algorithm>

#include "hone/kernels/winograd/winograd.h"
#include "hone/kernels/winograd/winograd_transforms.h"

namespace hone {
namespace {

// out = matrix * x * matrix transposed.
template <size_t kOut, size_t kIn>
void transform_both_axes(const float (&matrix)[kOut][kIn], const float (&x)[kIn][kIn],
                         float (&out)[kOut][kOut]) {
  for (size_t i = 0; i < kOut; ++i) {
    for (size_t j = 0; j < kOut; ++j) {
      double sum = 0;
      for (size_t a = 0; a < kIn; ++a) {
        for (size_t b = 0; b < kIn; ++b) {
          const float factor = matrix[i][a] * matrix[j][b];
          if (factor != 0) sum += double{factor} * x[a][b];
        }
      }
      out[i][j] = static_cast<float>(sum);
    }
  }
}

// The pixel of channel c at a place that padding has shifted; zero outside the image.
template <class T>
float padded_pixel(const WinogradShape& s, const T* x, size_t row, size_t column, size_t c) {
  const size_t y = row - s.pad_top;  // Wraps to a huge number above the image.
  const size_t z = column - s.pad_left;
  return y < s.in_h && z < s.in_w ? static_cast<float>(x[(y * s.in_w + z) * s.inputs + c]) : 0;
}

template <size_t m, class T>
void input_tiles(const WinogradShape& s, size_t first, size_t last, const T* x, float* v) {
  constexpr size_t n = m + 2;
  const size_t plane = (last - first) * s.inputs;
  for (size_t i = 0; i < plane; ++i) {
    const size_t tile = first + i / s.inputs, c = i % s.inputs;
    const size_t top = tile / s.tile_columns() * m, left = tile % s.tile_columns() * m;
    float pixels[n][n];
    float points[n][n];
    for (size_t p = 0; p < n * n; ++p) {
      pixels[p / n][p % n] = padded_pixel(s, x, top + p / n, left + p % n, c);
    }
    transform_both_axes(Winograd1d<m>::kInput, pixels, points);
    for (size_t p = 0; p < n * n; ++p) v[p * plane + i] = points[p / n][p % n];
  }
}

template <size_t m, class T>
void output_tiles(const WinogradShape& s, size_t first, size_t last, const float* products,
                  const WinogradFinish<T>& finish, T* y) {
  constexpr size_t n = m + 2;
  const size_t plane = (last - first) * s.outputs;
  for (size_t i = 0; i < plane; ++i) {
    const size_t tile = first + i / s.outputs, c = i % s.outputs;
    const size_t top = tile / s.tile_columns() * m, left = tile % s.tile_columns() * m;
    float points[n][n];
    float values[m][m];
    for (size_t p = 0; p < n * n; ++p) points[p / n][p % n] = products[p * plane + i];
    transform_both_axes(Winograd1d<m>::kOutput, points, values);
    for (size_t row = top; row < std::min(top + m, s.out_h); ++row) {
      for (size_t column = left; column < std::min(left + m, s.out_w); ++column) {
        const size_t pixel = row * s.out_w + column;
        float value = values[row - top][column - left];
        if (finish.bias != nullptr) value += finish.bias[c];
        if (finish.residual != nullptr)
          value += static_cast<float>(finish.residual[pixel * s.outputs + c]);
        y[pixel * finish.y_stride + c] = T(std::min(std::max(value, finish.low), finish.high));
      }
    }
  }
}

}  // namespace

void winograd_input_f32_ref(const WinogradShape& shape, size_t first, size_t last, const float* x,
                            float* v) {
  if (shape.m == 2) return input_tiles<2>(shape, first, last, x, v);
  input_tiles<4>(shape, first, last, x, v);
}

void winograd_output_f32_ref(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish<float>& finish, float* y) {
  if (shape.m == 2) return output_tiles<2>(shape, first, last, products, finish, y);
  output_tiles<4>(shape, first, last, products, finish, y);
}

void winograd_input_f16_ref(const WinogradShape& shape, size_t first, size_t last, const Half* x,
                            float* v) {
  if (shape.m == 2) return input_tiles<2>(shape, first, last, x, v);
  input_tiles<4>(shape, first, last, x, v);
}

void winograd_output_f16_ref(const WinogradShape& shape, size_t first, size_t last,
                             const float* products, const WinogradFinish<Half>& finish, Half* y) {
  if (shape.m == 2) return output_tiles<2>(shape, first, last, products, finish, y);
  output_tiles<4>(shape, first, last, products, finish, y);
}

}  // namespace hone
