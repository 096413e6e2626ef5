// The matrix product that convolutions, fully connected layers and attention run on: a strip of
// rows times a panel of columns, in tiles of a few rows whose sums stay in registers.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/gemm/fetch_ahead.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// A strip of
//   c[r][n] = clamp(bias[n] + sum over taps t and k of a[t][r][k] * b[t][k][n] + residual[r][n])
// for rows r < rows and columns n < cols. A plain matrix product has one tap; a convolution has one
// per pixel of its kernel, each with its own row pointers.
template <class T>
struct GemmTile {
  size_t rows;        // At least 1; tiles are of mr, the last one may have fewer.
  size_t cols;        // 1 .. nr
  size_t taps;        // At least 1.
  size_t depth;       // Values of k per tap.
  const T* const* a;  // [rows][taps]: where the `depth` values of a row start; see tap_step.
  const T* b;         // One panel, as GemmKernel::pack_panel leaves it.
  T* c;               // Rows `c_stride` elements apart.
  size_t c_stride;
  const T* residual;  // Null, or rows `residual_stride` apart; may be c itself.
  size_t residual_stride;
  float low;
  float high;
  const T* next = nullptr;      // What is read after this panel, of its size; may be fetched ahead.
  FetchAhead* ahead = nullptr;  // What else may be, after that.
  // The rows of a have one tap, lie one behind another and come from far away: those of a tile may be
  // fetched while the one before it is computed.
  bool far_rows = false;
  // Where not 0, `a` is [rows]: a row has one pointer, to its first tap, and the others lie so many
  // elements apart.
  size_t tap_step = 0;

  size_t pointers() const { return tap_step == 0 ? taps : 1; }  // Of a row.
  const T* tap(size_t row, size_t t) const {
    return tap_step == 0 ? a[row * taps + t] : a[row] + t * tap_step;
  }
  void skip_rows(size_t n) {
    rows -= n;
    a += n * pointers();
    c += n * c_stride;
    if (residual != nullptr) residual += n * residual_stride;
  }
};

// A panel is `nr` columns of b: nr biases, then [taps * depth][nr] weights. The last panel of a
// product is only as wide as its columns need, rounded up to `step`; columns beyond them are zero.
//
// With `in_pairs`, the last panel ends in half a vector, whose columns are computed for two values of
// k at a time: for every two, it has the whole vectors of each, and then the weights of both for
// column after column of the half. Biases there have zeros between them. A step is half a vector.
template <class T>
struct GemmKernel {
  size_t mr;
  size_t nr;
  size_t step;  // Divides nr.
  void (*run)(const GemmTile<T>& tile);
  void (*run_in_pairs)(const GemmTile<T>& tile) = nullptr;  // Null: there are no pairs.
  bool steps_taps = false;  // Whether `run` takes tiles with a tap_step.
  bool in_pairs = false;

  size_t panel_columns(size_t cols) const { return (cols + step - 1) / step * step; }
  // Those before the half.
  size_t whole_columns(size_t cols) const {
    return in_pairs ? cols / (2 * step) * (2 * step) : panel_columns(cols);
  }
  bool ends_in_pairs(size_t cols) const { return whole_columns(cols) < panel_columns(cols); }
  size_t bias_elements(size_t cols) const {
    return panel_columns(cols) + (ends_in_pairs(cols) ? step : 0);
  }
  size_t panel_elements(size_t k) const { return (k + 1) * nr; }
  // Of all panels, which lie one behind the other.
  size_t packed_elements(size_t n, size_t k) const {
    return k * panel_columns(n) + bias_elements(n);
  }
  size_t panels(size_t n) const { return (n + nr - 1) / nr; }
  bool takes_pairs(size_t depth) const { return run_in_pairs != nullptr && depth % 2 == 0; }
  // With the panels that suit n columns and so many values of k per tap: in pairs where the last step
  // would compute half of its columns or more for nothing.
  GemmKernel for_product(size_t n, size_t depth) const {
    const GemmKernel suited = for_columns(n);
    const bool half = n % step > 0 && n % step <= step / 2;
    return half && takes_pairs(depth) ? suited.with_pairs() : suited;
  }

 private:
  GemmKernel with_pairs() const {
    GemmKernel paired = *this;
    paired.step = step / 2;
    paired.run = run_in_pairs;
    paired.steps_taps = false;
    paired.in_pairs = true;
    return paired;
  }
  // A panel of a single step, with nothing to share what it loads, takes nearly half the time of four:
  // where the last would be one, panels of three leave it another. So it is with half a step: 72
  // columns take 2 to 4 % less time as 48 and 24 than as 64 and 8.
  GemmKernel for_columns(size_t n) const {
    GemmKernel narrower = *this;
    narrower.nr = nr - step;
    const bool fits = nr == 4 * step && n > nr;
    return fits && ends_in_one_step(n) && !narrower.ends_in_one_step(n) ? narrower : *this;
  }
  bool ends_in_one_step(size_t n) const { return n % nr > 0 && n % nr <= step; }
};

using GemmF32 = GemmKernel<float>;
// Sums in half precision where the CPU multiplies halves, otherwise in single, rounded once.
using GemmF16 = GemmKernel<Half>;

// Fastest first; ends in "ref". Sums are taken in an order of the variant's own: against sums in
// double, the error is at most k * 2^-24 (f32) or k * 2^-11 (f16) of the sum of magnitudes.
std::span<const KernelVariant<GemmF32>> gemm_f32_variants();
std::span<const KernelVariant<GemmF16>> gemm_f16_variants();

// Where the weights of column n and depth k lie: w[n * column_stride + k * depth_stride].
template <class T>
struct GemmWeights {
  const T* data;
  size_t n;
  size_t k;
  size_t column_stride;
  size_t depth_stride;
  const T* bias;  // Null: zeros.
};

// Writes the panels first .. last - 1, panel_elements(k) each or less for the last, to `out`.
template <class T>
void gemm_pack(const GemmWeights<T>& w, const GemmKernel<T>& kernel, size_t first, size_t last,
               T* out);

// The weights of a panel that ends in pairs, without its biases, those of each k times its factor.
void gemm_scale_pairs(const GemmF32& kernel, size_t cols, size_t k, const float* factors,
                      const float* weights, float* out);

}  // namespace hone
