// A convolution over nhwc images as rows of a matrix: output pixel m, tap t -> where the channels
// under the tap start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/targets/cpu/padded_window.h"
#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {

class WindowRows {
 public:
  WindowRows() = default;
  // Of a convolution with one or two spatial axes.
  explicit WindowRows(const ConvGeometry& conv);
  // Of a plain matrix with `rows` rows of `depth` elements.
  static WindowRows dense(size_t rows, size_t depth);

  size_t rows() const { return batch_ * out_h_ * out_w_; }
  size_t images() const { return batch_; }
  size_t columns() const { return out_w_; }
  size_t taps() const { return taps_; }
  // Elements from one pixel of the input to the next.
  size_t pixel_stride() const { return pixel_stride_; }
  bool padded() const { return padded_; }
  size_t kernel_rows() const { return kernel_h_; }
  size_t kernel_columns() const { return kernel_w_; }
  // Whether, with all `channels` of a pixel wanted, the taps of a row of the kernel lie side by
  // side in memory wherever none of them is outside the image.
  bool joins(size_t channels) const {
    return kernel_w_ > 1 && channels == pixel_stride_ && side_by_side_ && inner_begin_ < inner_end_;
  }
  // Whether gather_padded can be used, with all `channels` of a pixel wanted.
  bool gathers_padded(size_t channels) const {
    return joins(channels) && height_.pad_begin >= 0 && width_.pad_begin >= 0;
  }
  PaddedWindow padded_window() const { return {height_, width_, pixel_stride_}; }
  // Whether few pixels have a row of the kernel partly outside the image.
  bool edges_are_few() const { return 8 * edge_columns() <= out_w_; }
  // Of `count` pixels in a row, the most that can have.
  size_t edges_among(size_t count) const {
    return count / out_w_ * edge_columns() + std::min(count % out_w_, edge_columns());
  }

  // As rows of images, of elements of so many bytes.
  RowShape row_shape(size_t out_channels, size_t element_bytes) const {
    const size_t in_row = image_stride_ / static_cast<size_t>(height_.in);
    return {.images = batch_,
            .height = height_,
            .in_row_bytes = in_row * element_bytes,
            .out_row_bytes = out_w_ * out_channels * element_bytes};
  }

  // Whether output pixel m reads pixel m of the input and no other.
  bool dense() const { return dense_; }

  // Fills [count][taps] pointers for the output pixels from `first` on. `x` is the first channel
  // wanted of the first pixel; taps outside the image point to `padding`.
  template <class T>
  void fill(const T* x, const T* padding, size_t first, size_t count, const T** out) const {
    if (dense_) {
      for (size_t i = 0; i < count; ++i) out[i] = x + (first + i) * pixel_stride_;
      return;
    }
    fill_runs(x, first, count, kernel_w_, out, [&](const T* image, const Pixel& pixel) {
      for (size_t ky = 0; ky < kernel_h_; ++ky) {
        const ptrdiff_t down = pixel.downs[ky];
        for (size_t kx = 0; kx < kernel_w_; ++kx) {
          const ptrdiff_t right = pixel.rights[kx];
          *out++ = down < 0 || right < 0 ? padding : image + down + right;
        }
      }
    });
  }

  // The same for whole rows of the kernel, where it `joins`: [count][rows of the kernel] pointers to
  // what lies under a row of it, `padding` being as wide. Where only a part of the row is outside
  // the image, it is put together in `edges`, which has room for all taps of edges_among(count) pixels.
  template <class T>
  void fill_joined(const T* x, const T* padding, size_t first, size_t count, const T** out,
                   T* edges) const {
    fill_runs(x, first, count, 1, out, [&](const T* image, const Pixel& pixel) {
      const bool inside = pixel.column >= inner_begin_ && pixel.column < inner_end_;
      for (size_t ky = 0; ky < kernel_h_; ++ky) {
        if (inside) {
          *out++ = pixel.downs[ky] < 0 ? padding : image + pixel.rights[0] + pixel.downs[ky];
        } else {
          gather_row(image, pixel_stride_, padding[0], pixel.downs[ky], pixel.rights, edges);
          *out++ = edges;
          edges += kernel_w_ * pixel_stride_;
        }
      }
    });
  }

  // Calls run(image, first, pixels) for the images that have the `count` pixels from `first` on, of
  // which `first` is the first one of that image.
  template <class T, class Run>
  void for_images(const T* x, size_t first, size_t count, const Run& run) const {
    const size_t image_pixels = out_h_ * out_w_;
    while (count > 0) {
      const size_t begin = first % image_pixels;
      const size_t pixels = std::min(count, image_pixels - begin);
      run(x + first / image_pixels * image_stride_, begin, pixels);
      first += pixels;
      count -= pixels;
    }
  }

  // Copies what lies under all taps of the output pixels from `first` on, `channels` elements per
  // tap, taps outside the image as `padding`.
  template <class T>
  void gather(const T* x, size_t channels, T padding, size_t first, size_t count, T* out) const {
    for_runs(first, count, [&](size_t image, size_t row, size_t column, size_t end) {
      for (; column < end; ++column) {
        for (size_t ky = 0; ky < kernel_h_; ++ky, out += kernel_w_ * channels) {
          gather_row(x + image * image_stride_, channels, padding,
                     row_offsets_[row * kernel_h_ + ky], &column_offsets_[column * kernel_w_], out);
        }
      }
    });
  }

 private:
  size_t edge_columns() const { return out_w_ - (inner_end_ - inner_begin_); }

  // Where the taps of an output pixel lie, as row_offsets_ and column_offsets_ say it.
  struct Pixel {
    size_t column;
    const ptrdiff_t* downs;
    const ptrdiff_t* rights;
  };

  // Calls run(image, row, first column, end) for the rows of the output that have the `count` pixels
  // from `first` on.
  template <class Run>
  void for_runs(size_t first, size_t count, const Run& run) const {
    while (count > 0) {
      const size_t column = first % out_w_;
      const size_t pixels = std::min(count, out_w_ - column);
      run(first / out_w_ / out_h_, first / out_w_ % out_h_, column, column + pixels);
      first += pixels;
      count -= pixels;
    }
  }

  // Pointers to `width` taps of each row of the kernel. one_pixel(image, pixel) makes those of a
  // pixel with taps outside; the others differ from pixel to pixel by the same step.
  template <class T, class OnePixel>
  [[gnu::always_inline]] void fill_runs(const T* x, size_t first, size_t count, size_t width,
                                        const T**& out, const OnePixel& one_pixel) const {
    for_runs(first, count, [&](size_t index, size_t row, size_t column, size_t end) {
      const T* image = x + index * image_stride_;
      const ptrdiff_t* downs = &row_offsets_[row * kernel_h_];
      const bool all_rows =
          std::all_of(downs, downs + kernel_h_, [](ptrdiff_t d) { return d >= 0; });
      const size_t inner_begin = all_rows ? std::max(column, inner_begin_) : end;
      const size_t inner_end = std::min(end, inner_end_);
      for (; column < end; ++column) {
        const Pixel pixel{column, downs, &column_offsets_[column * kernel_w_]};
        if (column == inner_begin && column < inner_end) {
          out = fill_inner(image, pixel, width, inner_end - column, out);
          column = inner_end - 1;
        } else {
          one_pixel(image, pixel);
        }
      }
    });
  }

  template <class T>
  const T** fill_inner(const T* image, const Pixel& first, size_t width, size_t pixels,
                       const T** out) const {
    size_t taps = 0;
    for (size_t ky = 0; ky < kernel_h_; ++ky) {
      const T* from = image + first.downs[ky];
      for (size_t kx = 0; kx < width; ++kx) out[taps++] = from + first.rights[kx];
    }
    switch (taps) {
      case 1:
        return repeat_pixel<1>(taps, pixels, out);
      case 3:
        return repeat_pixel<3>(taps, pixels, out);
      case 6:
        return repeat_pixel<6>(taps, pixels, out);
      case 9:
        return repeat_pixel<9>(taps, pixels, out);
      default:
        return repeat_pixel<0>(taps, pixels, out);
    }
  }

  // The pointers of the first pixel are there; those of each that follows are a step further. kTaps
  // is their number, held in registers, or 0 for any.
  template <size_t kTaps, class T>
  const T** repeat_pixel(size_t taps, size_t pixels, const T** out) const {
    const size_t step = column_step_;
    if constexpr (kTaps == 0) {
      const T** end = out + pixels * taps;
      for (out += taps; out < end; ++out) *out = *(out - taps) + step;
      return end;
    } else {
      const T* first[kTaps];
      std::copy_n(out, kTaps, first);
      for (size_t offset = 0; offset < pixels * step; offset += step) {
        for (const T* pointer : first) *out++ = pointer + offset;
      }
      return out;
    }
  }

  // One row of the kernel. Those of its pixels that are inside lie side by side when all channels
  // are wanted and the kernel is not dilated.
  template <class T>
  [[gnu::always_inline]] void gather_row(const T* image, size_t channels, T padding, ptrdiff_t down,
                                         const ptrdiff_t* columns, T* out) const {
    if (down < 0) {
      fill_elements(kernel_w_ * channels, padding, out);
    } else if (side_by_side_ && channels == pixel_stride_) {
      size_t first = 0;
      while (first < kernel_w_ && columns[first] < 0) ++first;
      size_t last = first;
      while (last < kernel_w_ && columns[last] >= 0) ++last;
      fill_elements(first * channels, padding, out);
      if (first < last) {
        copy_elements(image + down + columns[first], (last - first) * channels,
                      out + first * channels);
      }
      fill_elements((kernel_w_ - last) * channels, padding, out + last * channels);
    } else {
      for (size_t kx = 0; kx < kernel_w_; ++kx, out += channels) {
        if (columns[kx] < 0) {
          fill_elements(channels, padding, out);
        } else {
          copy_elements(image + down + columns[kx], channels, out);
        }
      }
    }
  }

  template <class T>
  [[gnu::always_inline]] static void fill_elements(size_t n, T value, T* to) {
    for (size_t i = 0; i < n; ++i) to[i] = value;
  }

  // A few elements: a call of memcpy would take longer than the copy.
  template <class T>
  [[gnu::always_inline]] static void copy_elements(const T* from, size_t n, T* to) {
    if (n * sizeof(T) >= 16) return copy_chunks<16>(from, n, to);
    if (n * sizeof(T) >= 8) return copy_chunks<8>(from, n, to);
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
  }

  // At least one chunk; the last one overlaps the one before it.
  template <size_t kBytes, class T>
  [[gnu::always_inline]] static void copy_chunks(const T* from, size_t n, T* to) {
    constexpr size_t kChunk = kBytes / sizeof(T);
    for (size_t i = 0; i + kChunk < n; i += kChunk) std::memcpy(to + i, from + i, kBytes);
    std::memcpy(to + n - kChunk, from + n - kChunk, kBytes);
  }

  size_t batch_ = 1;
  WindowAxis height_;
  WindowAxis width_;
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
  // The columns of the output with all taps inside the image, and elements from one to the next.
  size_t inner_begin_ = 0;
  size_t inner_end_ = 0;
  size_t column_step_ = 0;
  bool side_by_side_ = false;  // The taps of a row of the kernel.
  bool dense_ = false;
};

// The operand rows of a product over a window, as kernels want them: [rows][taps] pointers to
// `depth` elements each. Short taps are made longer: those of a row of the kernel count as one where
// they lie side by side, otherwise all of a pixel are gathered into one row first, or lie at equal
// steps in a padded copy of the image.
template <class T>
class TapRows {
 public:
  TapRows() = default;
  // `depth` channels of every tap are used; taps outside the image read `padding`. With `copies`
  // every row's pointers are there that many times over. `may_step`: a row may have one pointer alone,
  // as where GemmTile has a tap_step.
  TapRows(WindowRows window, size_t depth, T padding, size_t copies = 1, bool may_step = false)
      : window_(std::move(window)),
        channels_(depth),
        copies_(copies),
        form_(form_of_taps(may_step)),
        own_taps_(taps_of_form()),
        depth_(window_.taps() / own_taps_ * channels_),
        padding_(depth_, padding) {
    pads_ = form_ == Form::Stepped || (form_ == Form::Gathered && copies_fast());
    if (pads_) padded_ = window_.padded_window();
  }

  const WindowRows& window() const { return window_; }
  size_t rows() const { return window_.rows(); }
  size_t taps() const { return copies_ * own_taps_; }
  size_t depth() const { return depth_; }
  size_t k() const { return taps() * depth(); }
  // Elements from one tap of a row to the next; 0: every tap has a pointer.
  size_t tap_step() const { return form_ == Form::Stepped ? padded_.tap_step() : 0; }
  size_t pointers_per_row() const { return form_ == Form::Stepped ? 1 : taps(); }
  // Of the memory that `fill` needs for so many rows.
  size_t memory_bytes(size_t count) const {
    return count * pointers_per_row() * sizeof(T*) + copied_elements(count) * sizeof(T) +
           (pads_ ? padded_.elements(count) * sizeof(T) + 2 * PaddedWindow::kMostRowBytes : 0);
  }

  // For `count` output pixels from `first` on; `memory` is aligned for pointers.
  const T* const* fill(const T* x, size_t first, size_t count, std::byte* memory) const {
    return fill(x, padding_.data(), first, count, memory);
  }
  // The same with `padding`, `depth` equal elements, under taps outside the image.
  const T* const* fill(const T* x, const T* padding, size_t first, size_t count,
                       std::byte* memory) const {
    const auto pointers = reinterpret_cast<const T**>(memory);
    T* copied = reinterpret_cast<T*>(pointers + count * pointers_per_row());
    switch (form_) {
      case Form::Single:
        window_.fill(x, padding, first, count, pointers);
        break;
      case Form::Joined:
        window_.fill_joined(x, padding, first, count, pointers, copied);
        break;
      case Form::Gathered:
        gather(x, padding[0], first, count, copied);
        for (size_t row = 0; row < count; ++row) pointers[row] = copied + row * depth_;
        break;
      case Form::Stepped:
        padded_.point(x, padding[0], first, count, copied, pointers);
        break;
    }
    if (copies_ > 1) repeat(pointers, count);
    return pointers;
  }

 private:
  enum class Form { Single, Joined, Gathered, Stepped };

  Form form_of_taps(bool may_step) const {
    // Below the first a tap is shorter than two vectors; up to the second, joined ones make layers
    // faster by 2 to 18 % (yolov5n and resnet50, float and int8, Neoverse-V1).
    constexpr size_t kShortestTapBytes = 32;
    constexpr size_t kLongestJoinedBytes = 256;
    constexpr size_t kVectorBytes = 16;
    if (window_.taps() == 1) return Form::Single;
    const size_t bytes = channels_ * sizeof(T);
    // Of several images each has a copy of its own.
    const bool steps = may_step && copies_ == 1 && window_.images() == 1;
    if (copies_fast()) return steps ? Form::Stepped : Form::Gathered;
    // Products of bytes put rows together themselves, from taps of any length.
    const bool has_vectors = sizeof(T) == 1 || window_.kernel_columns() * bytes >= kVectorBytes;
    const bool joins = has_vectors && window_.joins(channels_);
    if (bytes < kShortestTapBytes) return joins ? Form::Joined : Form::Gathered;
    const bool pays = bytes <= kLongestJoinedBytes && window_.edges_are_few();
    return joins && pays ? Form::Joined : Form::Single;
  }
  // Whether copying a row of the kernel takes no longer than making a pointer to it.
  bool copies_fast() const {
    return window_.gathers_padded(channels_) &&
           window_.kernel_columns() * channels_ * sizeof(T) <= PaddedWindow::kMostRowBytes;
  }
  void gather(const T* x, T padding, size_t first, size_t count, T* out) const {
    if (!pads_) return window_.gather(x, channels_, padding, first, count, out);
    T* copy = out + copied_elements(count) + PaddedWindow::kMostRowBytes / sizeof(T);
    window_.for_images(x, first, count, [&](const T* image, size_t begin, size_t pixels) {
      padded_.gather(image, padding, begin, pixels, copy, out);
      out += pixels * depth_;
    });
  }
  // Of `count` rows, the most that are copied.
  size_t copied_elements(size_t count) const {
    const size_t row = window_.taps() * channels_;
    switch (form_) {
      case Form::Single:
      case Form::Stepped:
        return 0;
      case Form::Joined:
        return window_.edges_among(count) * row;
      case Form::Gathered:
        break;
    }
    return count * row;
  }
  size_t taps_of_form() const {
    switch (form_) {
      case Form::Single:
        return window_.taps();
      case Form::Joined:
      case Form::Stepped:
        return window_.kernel_rows();
      case Form::Gathered:
        break;
    }
    return 1;
  }

  // From the last row to the first: no pointer is overwritten before it was read.
  void repeat(const T** pointers, size_t rows) const {
    const size_t taps = own_taps_;
    for (size_t row = rows; row-- > 0;) {
      for (size_t to = copies_ * taps; to-- > 0;) {
        pointers[row * copies_ * taps + to] = pointers[row * taps + to % taps];
      }
    }
  }

  WindowRows window_;
  size_t channels_ = 0;
  size_t copies_ = 1;
  Form form_ = Form::Single;
  size_t own_taps_ = 1;  // Without the copies.
  size_t depth_ = 0;
  bool pads_ = false;  // Before it gathers.
  PaddedWindow padded_;
  std::vector<T> padding_;
};

}  // namespace hone::cpu
