// A convolution over nhwc images as rows of a matrix: output pixel m, tap t -> where the channels
// under the tap start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "hone/ops/conv/geometry.h"

namespace hone::cpu {

class WindowRows {
 public:
  WindowRows() = default;
  // Of a convolution with one or two spatial axes.
  explicit WindowRows(const ConvGeometry& conv);
  // Of a plain matrix with `rows` rows of `depth` elements.
  static WindowRows dense(size_t rows, size_t depth);

  size_t rows() const { return batch_ * out_h_ * out_w_; }
  size_t taps() const { return taps_; }
  // Elements from one pixel of the input to the next.
  size_t pixel_stride() const { return pixel_stride_; }
  bool padded() const { return padded_; }

  // Fills [count][taps] pointers for the output pixels from `first` on. `x` is the first channel
  // wanted of the first pixel; taps outside the image point to `padding`.
  template <class T>
  void fill(const T* x, const T* padding, size_t first, size_t count, const T** out) const {
    size_t column = first % out_w_;
    size_t row = first / out_w_ % out_h_;
    size_t image = first / out_w_ / out_h_;
    for (size_t i = 0; i < count; ++i) {
      const T* base = x + image * image_stride_;
      for (size_t ky = 0; ky < kernel_h_; ++ky) {
        const ptrdiff_t down = row_offsets_[row * kernel_h_ + ky];
        for (size_t kx = 0; kx < kernel_w_; ++kx) {
          const ptrdiff_t right = column_offsets_[column * kernel_w_ + kx];
          *out++ = down < 0 || right < 0 ? padding : base + down + right;
        }
      }
      if (++column < out_w_) continue;
      column = 0;
      if (++row < out_h_) continue;
      row = 0;
      ++image;
    }
  }

  // Copies what lies under all taps of the output pixels from `first` on, `channels` elements per
  // tap, taps outside the image as `padding`.
  template <class T>
  void gather(const T* x, size_t channels, T padding, size_t first, size_t count, T* out) const {
    size_t column = first % out_w_;
    size_t row = first / out_w_ % out_h_;
    size_t image = first / out_w_ / out_h_;
    for (size_t i = 0; i < count; ++i) {
      const ptrdiff_t* columns = &column_offsets_[column * kernel_w_];
      for (size_t ky = 0; ky < kernel_h_; ++ky) {
        const ptrdiff_t down = row_offsets_[row * kernel_h_ + ky];
        gather_row(x + image * image_stride_, channels, padding, down, columns, out);
        out += kernel_w_ * channels;
      }
      if (++column < out_w_) continue;
      column = 0;
      if (++row < out_h_) continue;
      row = 0;
      ++image;
    }
  }

 private:
  // One row of the kernel. Its pixels lie side by side when all channels are wanted, none is
  // outside and the kernel is not dilated.
  template <class T>
  void gather_row(const T* image, size_t channels, T padding, ptrdiff_t down,
                  const ptrdiff_t* columns, T* out) const {
    const auto width = static_cast<ptrdiff_t>((kernel_w_ - 1) * channels);
    if (down < 0) {
      std::fill_n(out, kernel_w_ * channels, padding);
    } else if (columns[0] >= 0 && columns[kernel_w_ - 1] - columns[0] == width) {
      copy_elements(image + down + columns[0], kernel_w_ * channels, out);
    } else {
      for (size_t kx = 0; kx < kernel_w_; ++kx, out += channels) {
        if (columns[kx] < 0) {
          std::fill_n(out, channels, padding);
        } else {
          copy_elements(image + down + columns[kx], channels, out);
        }
      }
    }
  }

  // A few elements: a call of memcpy would take longer than the copy. The last chunk overlaps the
  // one before it.
  template <class T>
  static void copy_elements(const T* from, size_t n, T* to) {
    constexpr size_t kChunk = 8 / sizeof(T);
    if (n < kChunk) {
      for (size_t i = 0; i < n; ++i) to[i] = from[i];
      return;
    }
    for (size_t i = 0; i + kChunk <= n; i += kChunk) std::memcpy(to + i, from + i, 8);
    std::memcpy(to + n - kChunk, from + n - kChunk, 8);
  }

  size_t batch_ = 1;
  size_t out_h_ = 1;
  size_t out_w_ = 1;
  size_t kernel_h_ = 1;
  size_t kernel_w_ = 1;
  size_t taps_ = 1;
  size_t pixel_stride_ = 0;
  size_t image_stride_ = 0;
  bool padded_ = false;
  std::vector<ptrdiff_t> row_offsets_;     // [out_h][kernel_h] in elements; -1 outside.
  std::vector<ptrdiff_t> column_offsets_;  // [out_w][kernel_w]
};

// The operand rows of a product over a window, as kernels want them: [rows][taps] pointers to
// `depth` elements each. When the taps are short, all of a pixel are gathered into one row first.
template <class T>
class TapRows {
 public:
  TapRows() = default;
  // `depth` channels of every tap are used; taps outside the image read `padding`. With `copies`
  // every row's pointers are there that many times over.
  TapRows(WindowRows window, size_t depth, T padding, size_t copies = 1)
      : window_(std::move(window)), channels_(depth), copies_(copies), padding_(depth, padding) {
    // Below this a tap is shorter than two vectors.
    constexpr size_t kShortestTapBytes = 32;
    gathers_ = window_.taps() > 1 && depth * sizeof(T) < kShortestTapBytes;
  }

  const WindowRows& window() const { return window_; }
  size_t rows() const { return window_.rows(); }
  size_t taps() const { return copies_ * own_taps(); }
  size_t depth() const { return gathers_ ? window_.taps() * channels_ : channels_; }
  size_t k() const { return taps() * depth(); }
  // Of the memory that `fill` needs for each row.
  size_t row_bytes() const { return taps() * sizeof(T*) + (gathers_ ? depth() * sizeof(T) : 0); }

  // For `count` output pixels from `first` on; `memory` is aligned for pointers.
  const T* const* fill(const T* x, size_t first, size_t count, std::byte* memory) const {
    return fill(x, padding_.data(), first, count, memory);
  }
  // The same with `padding`, `depth` equal elements, under taps outside the image.
  const T* const* fill(const T* x, const T* padding, size_t first, size_t count,
                       std::byte* memory) const {
    const auto pointers = reinterpret_cast<const T**>(memory);
    if (gathers_) {
      T* gathered = reinterpret_cast<T*>(pointers + count * copies_);
      window_.gather(x, channels_, padding[0], first, count, gathered);
      for (size_t row = 0; row < count; ++row) pointers[row] = gathered + row * depth();
    } else {
      window_.fill(x, padding, first, count, pointers);
    }
    if (copies_ > 1) repeat(pointers, count);
    return pointers;
  }

 private:
  size_t own_taps() const { return gathers_ ? 1 : window_.taps(); }

  // From the last row to the first: no pointer is overwritten before it was read.
  void repeat(const T** pointers, size_t rows) const {
    const size_t taps = own_taps();
    for (size_t row = rows; row-- > 0;) {
      for (size_t to = copies_ * taps; to-- > 0;) {
        pointers[row * copies_ * taps + to] = pointers[row * taps + to % taps];
      }
    }
  }

  WindowRows window_;
  size_t channels_ = 0;
  size_t copies_ = 1;
  std::vector<T> padding_;
  bool gathers_ = false;
};

}  // namespace hone::cpu
