// The walk over tiles, for vectors of any kind: Ops has Vec with +, -, * float, and
//   kLanes, load(p, n), store(p, v, n) with n <= kLanes, zero(), set(float), clamp(v, low, high)
#pragma once

#include <algorithm>
#include <cstddef>

#include "hone/kernels/unroll.h"
#include "hone/kernels/winograd/winograd.h"
#include "hone/kernels/winograd/winograd_transforms.h"

namespace hone {

template <class Ops, size_t m>
class WinogradTiles {
  using Vec = typename Ops::Vec;
  using Axis = Winograd1d<m>;
  static constexpr size_t n = m + 2;

 public:
  static void input(const WinogradShape& s, size_t first, size_t last, const float* x, float* v) {
    const size_t plane = (last - first) * s.inputs;
    for (size_t tile = first; tile < last; ++tile) {
      const auto top =
          static_cast<ptrdiff_t>(tile / s.tile_columns() * m) - static_cast<ptrdiff_t>(s.pad_top);
      const auto left =
          static_cast<ptrdiff_t>(tile % s.tile_columns() * m) - static_cast<ptrdiff_t>(s.pad_left);
      const float* pixels[n][n];  // Null outside the image.
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) pixels[i][j] = pixel(s, x, top, left, i, j);
      }
      float* to = v + (tile - first) * s.inputs;
      for (size_t c = 0; c < s.inputs; c += Ops::kLanes) {
        input_vector(pixels, c, std::min(Ops::kLanes, s.inputs - c), to + c, plane);
      }
    }
  }

  static void output(const WinogradShape& s, size_t first, size_t last, const float* products,
                     const WinogradFinish& finish, float* y) {
    const size_t plane = (last - first) * s.outputs;
    for (size_t tile = first; tile < last; ++tile) {
      const float* from = products + (tile - first) * s.outputs;
      for (size_t c = 0; c < s.outputs; c += Ops::kLanes) {
        output_vector(s, tile, c, from + c, plane, finish, y);
      }
    }
  }

 private:
  static const float* pixel(const WinogradShape& s, const float* x, ptrdiff_t top, ptrdiff_t left,
                            size_t i, size_t j) {
    const ptrdiff_t row = top + static_cast<ptrdiff_t>(i);
    const ptrdiff_t column = left + static_cast<ptrdiff_t>(j);
    if (row < 0 || column < 0 || row >= static_cast<ptrdiff_t>(s.in_h) ||
        column >= static_cast<ptrdiff_t>(s.in_w)) {
      return nullptr;
    }
    return x + (static_cast<size_t>(row) * s.in_w + static_cast<size_t>(column)) * s.inputs;
  }

  static void input_vector(const float* const (&pixels)[n][n], size_t c, size_t lanes, float* to,
                           size_t plane) {
    Vec columns[n][n];  // [column][point along the height]
    for (size_t j = 0; j < n; ++j) {
      Vec d[n];
      HONE_UNROLL
      for (size_t i = 0; i < n; ++i) {
        d[i] = pixels[i][j] == nullptr ? Ops::zero() : Ops::load(pixels[i][j] + c, lanes);
      }
      Axis::input(d, columns[j]);
    }
    for (size_t i = 0; i < n; ++i) {
      Vec d[n];
      Vec points[n];
      HONE_UNROLL
      for (size_t j = 0; j < n; ++j) d[j] = columns[j][i];
      Axis::input(d, points);
      HONE_UNROLL
      for (size_t j = 0; j < n; ++j) Ops::store(to + (i * n + j) * plane, points[j], lanes);
    }
  }

  static void output_vector(const WinogradShape& s, size_t tile, size_t c, const float* from,
                            size_t plane, const WinogradFinish& finish, float* y) {
    const size_t lanes = std::min(Ops::kLanes, s.outputs - c);
    Vec columns[n][m];
    for (size_t j = 0; j < n; ++j) {
      Vec p[n];
      HONE_UNROLL
      for (size_t i = 0; i < n; ++i) p[i] = Ops::load(from + (i * n + j) * plane, lanes);
      Axis::output(p, columns[j]);
    }
    const size_t top = tile / s.tile_columns() * m;
    const size_t left = tile % s.tile_columns() * m;
    const Vec bias = finish.bias == nullptr ? Ops::zero() : Ops::load(finish.bias + c, lanes);
    for (size_t i = 0; i < std::min(m, s.out_h - top); ++i) {
      Vec p[n];
      Vec row[m];
      HONE_UNROLL
      for (size_t j = 0; j < n; ++j) p[j] = columns[j][i];
      Axis::output(p, row);
      const size_t start = ((top + i) * s.out_w + left) * s.outputs + c;
      for (size_t j = 0; j < std::min(m, s.out_w - left); ++j) {
        const size_t at = start + j * s.outputs;
        Vec value = row[j] + bias;
        if (finish.residual != nullptr) value = value + Ops::load(finish.residual + at, lanes);
        Ops::store(y + at, Ops::clamp(value, finish.low, finish.high), lanes);
      }
    }
  }
};

template <class Ops>
void winograd_input(const WinogradShape& s, size_t first, size_t last, const float* x, float* v) {
  if (s.m == 2) return WinogradTiles<Ops, 2>::input(s, first, last, x, v);
  WinogradTiles<Ops, 4>::input(s, first, last, x, v);
}

template <class Ops>
void winograd_output(const WinogradShape& s, size_t first, size_t last, const float* products,
                     const WinogradFinish& finish, float* y) {
  if (s.m == 2) return WinogradTiles<Ops, 2>::output(s, first, last, products, finish, y);
  WinogradTiles<Ops, 4>::output(s, first, last, products, finish, y);
}

}  // namespace hone
