// The transforms along one axis, for any type with +, - and * by a constant. Points 0, 1, -1 and
// infinity for m = 2; 0, 1, -1, 2, -2 and infinity for m = 4.
#pragma once

#include <cstddef>

namespace hone {

template <size_t m>
struct Winograd1d;

template <>
struct Winograd1d<2> {
  // d[4] -> the values at the points.
  template <class V>
  static void input(const V* d, V* v) {
    v[0] = d[0] - d[2];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[1] - d[3];
  }
  // Products at the points -> 2 outputs.
  template <class V>
  static void output(const V* p, V* y) {
    y[0] = p[0] + p[1] + p[2];
    y[1] = p[1] - p[2] - p[3];
  }
  static constexpr double kWeights[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
};

template <>
struct Winograd1d<4> {
  template <class V>
  static void input(const V* d, V* v) {
    const V even = d[4] - d[2] * 4.0f;
    const V odd = d[3] - d[1] * 4.0f;
    const V even2 = d[4] - d[2];
    const V odd2 = (d[3] - d[1]) * 2.0f;
    v[0] = d[0] * 4.0f - d[2] * 5.0f + d[4];
    v[1] = even + odd;
    v[2] = even - odd;
    v[3] = even2 + odd2;
    v[4] = even2 - odd2;
    v[5] = d[1] * 4.0f - d[3] * 5.0f + d[5];
  }
  template <class V>
  static void output(const V* p, V* y) {
    const V sum = p[1] + p[2];
    const V difference = p[1] - p[2];
    const V sum2 = p[3] + p[4];
    const V difference2 = p[3] - p[4];
    y[0] = p[0] + sum + sum2;
    y[1] = difference + difference2 * 2.0f;
    y[2] = sum + sum2 * 4.0f;
    y[3] = difference + difference2 * 8.0f + p[5];
  }
  static constexpr double kWeights[6][3] = {{1. / 4, 0, 0},
                                            {-1. / 6, -1. / 6, -1. / 6},
                                            {-1. / 6, 1. / 6, -1. / 6},
                                            {1. / 24, 1. / 12, 1. / 6},
                                            {1. / 24, -1. / 12, 1. / 6},
                                            {0, 0, 1}};
};

}  // namespace hone
