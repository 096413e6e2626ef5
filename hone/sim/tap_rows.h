// The operands of a dense product as gemm_i8 wants them: a pointer for each output pixel and tap.
#pragma once

#include <algorithm>
#include <cstring>

#include "hone/sim/dense_view.h"

namespace hone::sim {

template <class A>
class TapRows {
 public:
  // `x` is where the input's view starts; taps outside of it read `padding`. With `copies` each
  // row's taps come that many times over. Short taps of a pixel are gathered into one.
  TapRows(const Product& product, const A* x, const A* padding, size_t copies)
      : input_(product.input),
        window_(product.window),
        width_(product.output.width),
        x_(x),
        padding_(padding),
        copies_(copies) {
    // Below this a tap is shorter than two vectors.
    constexpr int64_t kShortestTap = 32;
    gathers_ = window_.taps() > 1 && input_.channels < kShortestTap;
    const View& output = product.output;
    const bool inside = window_.pad_top == 0 && window_.pad_left == 0 &&
                        output.height <= input_.height && output.width <= input_.width;
    plain_line_ = copies == 1 && window_.taps() == 1 && window_.stride_w == 1 &&
                  window_.stride_h == 1 && inside;
    plain_ = plain_line_ &&
             (output.height == 1 || input_.row_stride == output.width * input_.pixel_stride);
  }

  size_t taps() const { return copies_ * own_taps(); }
  size_t depth() const { return size_of(input_.channels) * (gathers_ ? window_taps() : 1); }
  // Of the memory that `fill` needs for each pixel.
  size_t row_bytes() const { return taps() * sizeof(A*) + (gathers_ ? depth() : 0); }

  // Whether the input's pixels are rows of a matrix as they lie: all of them, or those of a line.
  bool plain(bool all) const { return all ? plain_ : plain_line_; }
  // The input of a pixel when plain.
  const A* pixel(int64_t index) const {
    return x_ + index / width_ * input_.row_stride + index % width_ * input_.pixel_stride;
  }

  // [count][taps] pointers for the output pixels from `first` on.
  const A* const* fill(size_t first, size_t count, std::byte* memory) const {
    const auto pointers = reinterpret_cast<const A**>(memory);
    A* gathered = reinterpret_cast<A*>(pointers + count * taps());
    for (size_t i = 0; i < count; ++i) {
      const int64_t pixel = static_cast<int64_t>(first + i);
      const A** row = pointers + i * taps();
      if (gathers_) {
        row[0] = gathered;
        gather_taps(pixel, gathered);
        gathered += depth();
      } else {
        find_taps(pixel, row);
      }
      for (size_t t = own_taps(); t < taps(); ++t) row[t] = row[t - own_taps()];
    }
    return pointers;
  }

 private:
  size_t window_taps() const { return size_of(window_.taps()); }
  size_t own_taps() const { return gathers_ ? 1 : window_taps(); }

  // Where the taps of the kernel's row ky start for a pixel; null above or below the input.
  const A* input_row(int64_t pixel, int64_t ky) const {
    const int64_t y = pixel / width_ * window_.stride_h + ky * window_.dilation_h - window_.pad_top;
    return y < 0 || y >= input_.height ? nullptr : x_ + y * input_.row_stride;
  }

  void find_taps(int64_t pixel, const A** out) const {
    const int64_t x0 = pixel % width_ * window_.stride_w - window_.pad_left;
    for (int64_t ky = 0; ky < window_.kernel_h; ++ky) {
      const A* row = input_row(pixel, ky);
      for (int64_t kx = 0; kx < window_.kernel_w; ++kx) {
        const int64_t x = x0 + kx * window_.dilation_w;
        const bool inside = row != nullptr && x >= 0 && x < input_.width;
        *out++ = inside ? row + x * input_.pixel_stride : padding_;
      }
    }
  }

  void gather_taps(int64_t pixel, A* out) const {
    const int64_t x0 = pixel % width_ * window_.stride_w - window_.pad_left;
    const size_t channels = size_of(input_.channels);
    const bool runs = window_.dilation_w == 1 && input_.pixel_stride == input_.channels &&
                      x0 >= 0 && x0 + window_.kernel_w <= input_.width;
    for (int64_t ky = 0; ky < window_.kernel_h; ++ky) {
      const A* row = input_row(pixel, ky);
      if (row != nullptr && runs) {
        copy(row + x0 * input_.pixel_stride, size_of(window_.kernel_w) * channels, out);
        out += size_of(window_.kernel_w) * channels;
        continue;
      }
      for (int64_t kx = 0; kx < window_.kernel_w; ++kx, out += channels) {
        const int64_t x = x0 + kx * window_.dilation_w;
        const bool inside = row != nullptr && x >= 0 && x < input_.width;
        copy(inside ? row + x * input_.pixel_stride : padding_, channels, out);
      }
    }
  }

  // A few elements: a call of memcpy would take longer than the copy. The last chunk overlaps the
  // one before it.
  static void copy(const A* from, size_t n, A* to) {
    if (n < 8) {
      for (size_t i = 0; i < n; ++i) to[i] = from[i];
      return;
    }
    for (size_t i = 0; i + 8 <= n; i += 8) std::memcpy(to + i, from + i, 8);
    std::memcpy(to + n - 8, from + n - 8, 8);
  }

  View input_;
  Window2d window_;
  int64_t width_;
  const A* x_;
  const A* padding_;
  size_t copies_;
  bool gathers_ = false;
  bool plain_ = false;
  bool plain_line_ = false;
};

}  // namespace hone::sim
