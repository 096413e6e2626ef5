#include <algorithm>

#include "hone/kernels/gemm/gemm.h"

namespace hone {
namespace {

// `width` columns of one k, of which `cols` exist.
template <class T>
T* pack_row(const T* from, size_t column_stride, size_t cols, size_t width, T* out) {
  if (column_stride == 1) {
    std::copy_n(from, cols, out);
  } else {
    for (size_t c = 0; c < cols; ++c) out[c] = from[c * column_stride];
  }
  std::fill(out + cols, out + width, T{});
  return out + width;
}

// `width` columns of two values of k, so many elements apart, column by column.
template <class T>
T* pack_pairs(const T* from, size_t depth_stride, size_t column_stride, size_t cols, size_t width,
              T* out) {
  for (size_t c = 0; c < cols; ++c, from += column_stride) {
    *out++ = from[0];
    *out++ = from[depth_stride];
  }
  return std::fill_n(out, 2 * (width - cols), T{});
}

// A panel of `cols` columns from `column` on.
template <class T>
T* pack_bias(const GemmWeights<T>& w, const GemmKernel<T>& kernel, size_t column, size_t cols,
             T* out) {
  T* const end = std::fill_n(out, kernel.bias_elements(cols), T{});
  if (w.bias == nullptr) return end;
  const size_t whole = std::min(cols, kernel.whole_columns(cols));
  std::copy_n(w.bias + column, whole, out);
  for (size_t c = whole; c < cols; ++c) out[whole + 2 * (c - whole)] = w.bias[column + c];
  return end;
}

template <class T>
T* pack_weights(const GemmWeights<T>& w, const GemmKernel<T>& kernel, size_t column, size_t cols,
                T* out) {
  const T* from = w.data + column * w.column_stride;
  const size_t width = kernel.panel_columns(cols), whole = kernel.whole_columns(cols);
  if (whole == width) {
    for (size_t k = 0; k < w.k; ++k, from += w.depth_stride) {
      out = pack_row(from, w.column_stride, cols, width, out);
    }
    return out;
  }
  for (size_t k = 0; k < w.k; k += 2, from += 2 * w.depth_stride) {
    out = pack_row(from, w.column_stride, whole, whole, out);
    out = pack_row(from + w.depth_stride, w.column_stride, whole, whole, out);
    out = pack_pairs(from + whole * w.column_stride, w.depth_stride, w.column_stride, cols - whole,
                     width - whole, out);
  }
  return out;
}

// A multiple of four, and four at a time, of which g++ makes a vector: one by one, they take half of
// what pairs gain in a layer of 784 rows.
void scale_by_turns(const float* from, size_t count, float even, float odd, float* to) {
  for (size_t i = 0; i < count; i += 4) {
    const float a = from[i] * even, b = from[i + 1] * odd;
    const float c = from[i + 2] * even, d = from[i + 3] * odd;
    to[i] = a;
    to[i + 1] = b;
    to[i + 2] = c;
    to[i + 3] = d;
  }
}

}  // namespace

template <class T>
void gemm_pack(const GemmWeights<T>& w, const GemmKernel<T>& kernel, size_t first, size_t last,
               T* out) {
  for (size_t panel = first; panel < last; ++panel) {
    const size_t column = panel * kernel.nr;
    const size_t cols = std::min(kernel.nr, w.n - column);
    out = pack_bias(w, kernel, column, cols, out);
    out = pack_weights(w, kernel, column, cols, out);
  }
}
template void gemm_pack(const GemmWeights<float>&, const GemmF32&, size_t, size_t, float*);
template void gemm_pack(const GemmWeights<Half>&, const GemmF16&, size_t, size_t, Half*);

void gemm_scale_pairs(const GemmF32& kernel, size_t cols, size_t k, const float* factors,
                      const float* weights, float* out) {
  const size_t whole = kernel.whole_columns(cols), pairs = 2 * kernel.step;
  for (const float* const end = factors + k; factors < end; factors += 2) {
    scale_by_turns(weights, whole, factors[0], factors[0], out);
    scale_by_turns(weights + whole, whole, factors[1], factors[1], out + whole);
    scale_by_turns(weights + 2 * whole, pairs, factors[0], factors[1], out + 2 * whole);
    weights += 2 * whole + pairs;
    out += 2 * whole + pairs;
  }
}

}  // namespace hone
