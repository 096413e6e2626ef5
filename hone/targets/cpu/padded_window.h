// Rows of a product over an image of few channels, by way of a copy with the padding around it: all
// rows of the kernel then have the same length, wherever they lie, and the same way to the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hone/ops/conv/geometry.h"

namespace hone::cpu {

class PaddedWindow {
 public:
  // Of a row of the kernel. As much memory must be there behind a copy and behind what is gathered.
  static constexpr size_t kMostRowBytes = 16;

  PaddedWindow() = default;
  // Taps of a row of the kernel lie side by side and have kMostRowBytes together at most; no padding
  // is negative.
  PaddedWindow(const WindowAxis& height, const WindowAxis& width, size_t channels)
      : height_(height), width_(width), channels_(channels) {
    padded_row_ = static_cast<size_t>((width.out - 1) * width.stride + width.reach()) * channels;
    in_row_ = static_cast<size_t>(width.in) * channels;
    left_ = std::min(static_cast<size_t>(width.pad_begin) * channels, padded_row_);
    copied_ = std::min(in_row_, padded_row_ - left_);
  }

  // Of the copy, for `count` output pixels.
  size_t elements(size_t count) const {
    const auto wide = static_cast<size_t>(width_.out);
    const auto rows = std::min(height_.out, static_cast<int64_t>((count + wide - 2) / wide + 1));
    return static_cast<size_t>(rows_under(rows)) * padded_row_;
  }

  // For output pixels of one image; `padded` has room for elements(count).
  template <class T>
  void gather(const T* image, T padding, size_t first, size_t count, T* padded, T* out) const {
    for_runs(image, padding, first, count, padded,
             [&](const T* from, size_t pixels) { out = gather_pixels(from, pixels, out); });
  }

  // The same without copies of what lies under a pixel: pointers to where the first row of its kernel
  // begins; the others lie `tap_step` elements apart.
  template <class T>
  void point(const T* image, T padding, size_t first, size_t count, T* padded,
             const T** pointers) const {
    for_runs(image, padding, first, count, padded, [&](const T* from, size_t pixels) {
      for (size_t pixel = 0; pixel < pixels; ++pixel) *pointers++ = from + pixel * step();
    });
  }
  size_t tap_step() const { return static_cast<size_t>(height_.dilation) * padded_row_; }

 private:
  int64_t rows_under(int64_t out_rows) const {
    return (out_rows - 1) * height_.stride + height_.reach();
  }
  size_t row_elements() const { return static_cast<size_t>(width_.kernel) * channels_; }
  size_t step() const { return static_cast<size_t>(width_.stride) * channels_; }

  // Makes the copy, and calls each(from, pixels) for pixels side by side, where the first row of the
  // kernel begins at `from` for the first of them, and step() elements further on for each other.
  template <class T, class Each>
  void for_runs(const T* image, T padding, size_t first, size_t count, T* padded,
                const Each& each) const {
    const auto wide = static_cast<size_t>(width_.out);
    const size_t first_row = first / wide;
    const size_t rows = (first + count - 1) / wide + 1 - first_row;
    copy_rows(image, padding, static_cast<int64_t>(first_row), static_cast<int64_t>(rows), padded);
    for (size_t column = first - first_row * wide; count > 0; column = 0) {
      const size_t pixels = std::min(count, wide - column);
      each(padded + column * step(), pixels);
      padded += static_cast<size_t>(height_.stride) * padded_row_;
      count -= pixels;
    }
  }

  template <class T>
  void copy_rows(const T* image, T padding, int64_t out_row, int64_t out_rows, T* padded) const {
    const int64_t count = rows_under(out_rows);
    std::fill_n(padded, static_cast<size_t>(count) * padded_row_, padding);
    const int64_t begin = height_.source(out_row, 0);
    const int64_t end = std::min(begin + count, height_.in);
    T* to = padded + left_;
    if (begin < 0) to += static_cast<size_t>(-begin) * padded_row_;
    for (int64_t y = std::max<int64_t>(begin, 0); y < end; ++y, to += padded_row_) {
      copy_short(image + static_cast<size_t>(y) * in_row_, copied_ * sizeof(T), to);
    }
  }

  // Rows are a few vectors long: a call of memcpy takes longer than what it does. The last piece
  // overlaps the one before it.
  static void copy_short(const void* from, size_t bytes, void* to) {
    const auto in = static_cast<const std::byte*>(from);
    const auto out = static_cast<std::byte*>(to);
    if (bytes < kPiece) {
      std::memcpy(out, in, bytes);
      return;
    }
    for (size_t at = 0; at + kPiece < bytes; at += kPiece) std::memcpy(out + at, in + at, kPiece);
    std::memcpy(out + bytes - kPiece, in + bytes - kPiece, kPiece);
  }

  // What is copied too much is written over by the next row.
  template <class T>
  T* gather_pixels(const T* from, size_t pixels, T* out) const {
    const size_t down = tap_step();
    const size_t right = step(), elements = row_elements();
    const int64_t kernel = height_.kernel;
    for (size_t pixel = 0; pixel < pixels; ++pixel, from += right) {
      const T* row = from;
      for (int64_t ky = 0; ky < kernel; ++ky, row += down, out += elements) {
        std::memcpy(static_cast<void*>(out), row, kMostRowBytes);
      }
    }
    return out;
  }

  static constexpr size_t kPiece = 16;  // Bytes of a vector.

  WindowAxis height_;
  WindowAxis width_;
  size_t channels_ = 0;
  size_t padded_row_ = 0;  // Elements of a row of the copy, of the image,
  size_t in_row_ = 0;
  size_t left_ = 0;    // of the padding before a row,
  size_t copied_ = 0;  // and of the image's row that are read.
};

}  // namespace hone::cpu
