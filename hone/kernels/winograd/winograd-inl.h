// Winograd's transforms on vectors of channels, for winograd_hwy.cc.
//
// Both axes of a 4x4 tile would need 36 vectors between them. Instead two or three of the points
// along the height are made at a time, for all columns, and go along the width at once: some pixels
// are read twice, but nothing is written that is not a result.

#if defined(HONE_KERNELS_WINOGRAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_WINOGRAD_INL_H_
#undef HONE_KERNELS_WINOGRAD_INL_H_
#else
#define HONE_KERNELS_WINOGRAD_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/vector_rows-inl.h"
#include "hone/kernels/winograd/winograd.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// The same pointer, of which the compiler knows nothing: it would keep the addresses of all pixels
// and points for later steps, in vector registers where there are no others left.
template <class T>
HWY_INLINE T* apart(T* p) {
  asm volatile("" : "+r"(p));
  return p;
}

// The transforms of winograd_transforms.h along one axis. A step makes points that share terms;
// `at(i)` is the value i.
template <class V, size_t m>
struct WinogradAxis;

template <class V>
struct WinogradAxis<V, 2> {
  using Vec = typename V::Vec;
  static constexpr size_t kSteps = 2;
  static constexpr size_t kPoints[kSteps][2] = {{0, 3}, {1, 2}};
  static constexpr size_t kOutputs[kSteps - 1][2] = {{0, 1}};

  template <size_t kStep, class At>
  static HWY_INLINE void input(const At& at, Vec& a, Vec& b) {
    if constexpr (kStep == 0) {
      a = V::sub(at(0), at(2));
      b = V::sub(at(1), at(3));
    } else {
      const Vec d1 = at(1), d2 = at(2);
      a = V::add(d1, d2);
      b = V::sub(d2, d1);
    }
  }
  template <size_t kStep, class At>
  static HWY_INLINE void output(const At& at, Vec& a, Vec& b) {
    const Vec p1 = at(1), p2 = at(2);
    a = V::add(at(0), V::add(p1, p2));
    b = V::sub(V::sub(p1, p2), at(3));
  }
};

template <class V>
struct WinogradAxis<V, 4> {
  using Vec = typename V::Vec;
  static constexpr size_t kSteps = 3;
  static constexpr size_t kPoints[kSteps][2] = {{0, 5}, {1, 2}, {3, 4}};
  static constexpr size_t kOutputs[kSteps - 1][2] = {{0, 2}, {1, 3}};

  template <size_t kStep, class At>
  static HWY_INLINE void input(const At& at, Vec& a, Vec& b) {
    const Vec four = V::broadcast(4);
    if constexpr (kStep == 0) {
      const Vec five = V::broadcast(5);
      a = V::fms(V::fma(at(4), at(0), four), at(2), five);
      b = V::fms(V::fma(at(5), at(1), four), at(3), five);
    } else if constexpr (kStep == 1) {
      const Vec even = V::fms(at(4), at(2), four);
      const Vec odd = V::fms(at(3), at(1), four);
      a = V::add(even, odd);
      b = V::sub(even, odd);
    } else {
      const Vec two = V::broadcast(2);
      const Vec even = V::sub(at(4), at(2));
      const Vec odd = V::sub(at(3), at(1));
      a = V::fma(even, odd, two);
      b = V::fms(even, odd, two);
    }
  }
  template <size_t kStep, class At>
  static HWY_INLINE void output(const At& at, Vec& a, Vec& b) {
    if constexpr (kStep == 0) {
      const Vec sum = V::add(at(1), at(2));
      const Vec sum2 = V::add(at(3), at(4));
      a = V::add(V::add(at(0), sum), sum2);
      b = V::fma(sum, sum2, V::broadcast(4));
    } else {
      const Vec difference = V::sub(at(1), at(2));
      const Vec difference2 = V::sub(at(3), at(4));
      a = V::fma(difference, difference2, V::broadcast(2));
      b = V::add(V::fma(difference, difference2, V::broadcast(8)), at(5));
    }
  }
};

// Image is HwyF32 or HwyF16.
template <class Image, size_t m>
class WinogradTiles {
  using T = typename Image::Element;
  using V = HwyF32;
  using Vec = V::Vec;
  using Axis = WinogradAxis<V, m>;
  static constexpr size_t n = m + 2;
  static constexpr size_t kLanes = V::kLanes;

 public:
  static void input(const WinogradShape& s, size_t first, size_t last, const T* x, float* v) {
    const size_t plane = (last - first) * s.inputs;
    const size_t across = s.tile_columns();
    for (size_t tile = first; tile < last; ++tile) {
      const Patch patch(s, tile / across * m, tile % across * m);
      float* to = v + (tile - first) * s.inputs;
      size_t c = 0;
      if (patch.inside) c = input_inside(s, x + patch.at(s, 0, 0), to, plane);
      for (; c < s.inputs; c += kLanes) {
        input_border(s, patch, x, c, std::min(kLanes, s.inputs - c), to + c, plane);
      }
    }
  }

  static void output(const WinogradShape& s, size_t first, size_t last, const float* products,
                     const WinogradFinish<T>& finish, T* y) {
    const size_t plane = (last - first) * s.outputs;
    const size_t across = s.tile_columns();
    for (size_t tile = first; tile < last; ++tile) {
      const Outputs to(s, tile / across * m, tile % across * m);
      const float* from = products + (tile - first) * s.outputs;
      size_t c = 0;
      for (; c + kLanes <= s.outputs; c += kLanes) {
        output_vector(s, to, c, from + c, plane, finish, y);
      }
      if (c < s.outputs) output_last(s, to, c, from + c, plane, finish, y);
    }
  }

 private:
  // Where the inputs of a tile lie.
  struct Patch {
    size_t top, left;  // Shifted by the padding.
    bool inside;

    Patch(const WinogradShape& s, size_t tile_top, size_t tile_left)
        : top(tile_top), left(tile_left) {
      inside = top >= s.pad_top && top - s.pad_top + n <= s.in_h && left >= s.pad_left &&
               left - s.pad_left + n <= s.in_w;
    }
    bool has(const WinogradShape& s, size_t i, size_t j) const {
      // Both wrap to huge numbers before the image.
      return top + i - s.pad_top < s.in_h && left + j - s.pad_left < s.in_w;
    }
    size_t at(const WinogradShape& s, size_t i, size_t j) const {
      return ((top + i - s.pad_top) * s.in_w + left + j - s.pad_left) * s.inputs;
    }
  };

  // Where the outputs of a tile lie; those beyond the image are left out.
  struct Outputs {
    size_t first_pixel;
    size_t rows, columns;

    Outputs(const WinogradShape& s, size_t top, size_t left)
        : first_pixel(top * s.out_w + left),
          rows(std::min(m, s.out_h - top)),
          columns(std::min(m, s.out_w - left)) {}
  };

  // All whole vectors of channels; gives how many channels those are.
  static HWY_INLINE size_t input_inside(const WinogradShape& s, const T* x, float* to,
                                        size_t plane) {
    const size_t down = s.in_w * s.inputs, right = s.inputs;
    size_t c = 0;
    for (; c + kLanes <= right; c += kLanes) input_vector<Image>(x + c, down, right, to + c, plane);
    return c;
  }

  // n x n pixels, `down` and `right` apart, to the points, `plane` apart.
  template <class Pixels>
  static HWY_INLINE void input_vector(const typename Pixels::Element* x, size_t down, size_t right,
                                      float* to, size_t plane) {
    input_step<Pixels, 0>(x, down, right, to, plane);
    input_step<Pixels, 1>(x, down, right, to, plane);
    if constexpr (Axis::kSteps > 2) input_step<Pixels, 2>(x, down, right, to, plane);
  }

  template <class Pixels, size_t kStep>
  static HWY_INLINE void input_step(const typename Pixels::Element* x, size_t down, size_t right,
                                    float* to, size_t plane) {
    Vec points[2][n];
    HONE_UNROLL
    for (size_t j = 0; j < n; ++j) {
      const auto* column = apart(x + j * right);
      const auto pixel = [&](size_t i) HWY_ATTR { return Pixels::load(column + i * down); };
      Axis::template input<kStep>(pixel, points[0][j], points[1][j]);
    }
    HONE_UNROLL
    for (size_t i = 0; i < 2; ++i) {
      float* row = apart(to + Axis::kPoints[kStep][i] * n * plane);
      input_row<0>(points[i], row, plane);
      input_row<1>(points[i], row, plane);
      if constexpr (Axis::kSteps > 2) input_row<2>(points[i], row, plane);
    }
  }

  template <size_t kStep>
  static HWY_INLINE void input_row(const Vec (&row)[n], float* to, size_t plane) {
    Vec a, b;
    const auto value = [&](size_t j) HWY_ATTR { return row[j]; };
    Axis::template input<kStep>(value, a, b);
    V::store(to + Axis::kPoints[kStep][0] * plane, a);
    V::store(to + Axis::kPoints[kStep][1] * plane, b);
  }

  // A patch that sticks out of the image, or of which there are fewer channels than lanes.
  static HWY_NOINLINE void input_border(const WinogradShape& s, const Patch& patch, const T* x,
                                        size_t c, size_t lanes, float* to, size_t plane) {
    float pixels[n * n * kLanes];
    for (size_t p = 0; p < n * n; ++p) {
      const size_t i = p / n, j = p % n;
      Vec pixel = V::broadcast(0);
      if (patch.has(s, i, j)) pixel = load_some<Image>(x + patch.at(s, i, j) + c, lanes);
      V::store(pixels + p * kLanes, pixel);
    }
    if (lanes == kLanes) return input_vector<V>(pixels, n * kLanes, kLanes, to, plane);
    float points[n * n * kLanes];
    input_vector<V>(pixels, n * kLanes, kLanes, points, kLanes);
    for (size_t p = 0; p < n * n; ++p) {
      std::copy_n(points + p * kLanes, lanes, to + p * plane);
    }
  }

  template <class From>
  static HWY_INLINE Vec load_some(const typename From::Element* x, size_t lanes) {
    return lanes == kLanes ? From::load(x) : load_first<From>(x, lanes);
  }

  // A tile's m x m sums, kLanes channels each.
  static HWY_INLINE void output_sums(const float* from, size_t plane, float (&sums)[m][m][kLanes]) {
    output_step<0>(from, plane, sums);
    if constexpr (m > 2) output_step<1>(from, plane, sums);
  }

  template <size_t kStep>
  static HWY_INLINE void output_step(const float* from, size_t plane, float (&sums)[m][m][kLanes]) {
    Vec rows[2][n];
    HONE_UNROLL
    for (size_t j = 0; j < n; ++j) {
      const float* column = apart(from + j * plane);
      const auto product = [&](size_t i) HWY_ATTR { return V::load(column + i * n * plane); };
      Axis::template output<kStep>(product, rows[0][j], rows[1][j]);
    }
    HONE_UNROLL
    for (size_t i = 0; i < 2; ++i) {
      auto& row = sums[Axis::kOutputs[kStep][i]];
      output_row<0>(rows[i], row);
      if constexpr (m > 2) output_row<1>(rows[i], row);
    }
  }

  template <size_t kStep>
  static HWY_INLINE void output_row(const Vec (&row)[n], float (&sums)[m][kLanes]) {
    Vec a, b;
    const auto value = [&](size_t j) HWY_ATTR { return row[j]; };
    Axis::template output<kStep>(value, a, b);
    V::store(sums[Axis::kOutputs[kStep][0]], a);
    V::store(sums[Axis::kOutputs[kStep][1]], b);
  }

  static HWY_INLINE void output_vector(const WinogradShape& s, const Outputs& to, size_t c,
                                       const float* from, size_t plane,
                                       const WinogradFinish<T>& finish, T* y) {
    float sums[m][m][kLanes];
    output_sums(from, plane, sums);
    finish_sums(s, to, c, kLanes, sums, finish, y);
  }

  static HWY_NOINLINE void output_last(const WinogradShape& s, const Outputs& to, size_t c,
                                       const float* from, size_t plane,
                                       const WinogradFinish<T>& finish, T* y) {
    const size_t lanes = s.outputs - c;
    float products[n * n * kLanes] = {};
    for (size_t p = 0; p < n * n; ++p) {
      std::copy_n(from + p * plane, lanes, products + p * kLanes);
    }
    float sums[m][m][kLanes];
    output_sums(products, kLanes, sums);
    finish_sums(s, to, c, lanes, sums, finish, y);
  }

  // Bias, residual and bounds, for the outputs inside the image.
  static HWY_INLINE void finish_sums(const WinogradShape& s, const Outputs& to, size_t c,
                                     size_t lanes, const float (&sums)[m][m][kLanes],
                                     const WinogradFinish<T>& finish, T* y) {
    const Vec bias =
        finish.bias == nullptr ? V::broadcast(0) : load_some<V>(finish.bias + c, lanes);
    const Vec low = V::broadcast(finish.low);
    const Vec high = V::broadcast(finish.high);
    for (size_t i = 0; i < to.rows; ++i) {
      const size_t pixel = to.first_pixel + i * s.out_w;
      size_t residual_at = pixel * s.outputs + c;
      T* y_at = y + pixel * finish.y_stride + c;
      for (size_t j = 0; j < to.columns; ++j, residual_at += s.outputs, y_at += finish.y_stride) {
        Vec value = V::add(V::load(sums[i][j]), bias);
        if (finish.residual != nullptr) {
          value = V::add(value, load_some<Image>(finish.residual + residual_at, lanes));
        }
        // A NaN is the second operand.
        value = V::min(high, V::max(low, value));
        if (lanes == kLanes) {
          Image::store(y_at, value);
        } else {
          store_first<Image>(y_at, value, lanes);
        }
      }
    }
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_WINOGRAD_INL_H_
