// Steps over images that can compute any of their rows by themselves, from the rows under the
// window: what chains are made of.
#pragma once

#include "hone/ops/conv/geometry.h"
#include "hone/targets/cpu/step.h"

namespace hone::cpu {

struct RowRange {
  size_t begin = 0;
  size_t end = 0;

  size_t count() const { return end - begin; }
  bool empty() const { return begin == end; }
};

// Images as rows of bytes, and the window that goes down them.
struct RowShape {
  size_t images = 0;  // 0: the step cannot be run by rows.
  WindowAxis height = {};
  size_t in_row_bytes = 0;
  size_t out_row_bytes = 0;

  size_t out_rows() const { return static_cast<size_t>(height.out); }
  size_t in_image_bytes() const { return static_cast<size_t>(height.in) * in_row_bytes; }
  size_t out_image_bytes() const { return out_rows() * out_row_bytes; }
  // The input rows that output rows, one at least, read; none where these lie in the padding.
  RowRange under(const RowRange& out) const;
};

// Where row 0 of an image of the input and of the output is, or would be if the rows that matter
// were not the only ones in memory.
struct RowBases {
  const std::byte* x;
  std::byte* y;
};

class RowStep : public Step {
 public:
  // Of reads[0] and writes[0]; everything else is read from the frame.
  virtual void run_rows(const Frame& frame, const RowBases& bases, size_t image,
                        const RowRange& rows, size_t worker) const = 0;

  RowShape row_shape;
  // Of the input whole images are there, `bases.x` is where one starts, and its rows lie elsewhere
  // than row_shape says: nobody can hand them on.
  bool reads_planes = false;
  RowsApart y_pixels = {1, 1};  // Where the whole output is in the frame.

  // Row 0 of an image, where the whole of it is in the frame.
  const std::byte* x_image(const Frame& frame, size_t image) const {
    return frame.in<std::byte>(reads[0]) + image * row_shape.in_image_bytes();
  }
  std::byte* y_image(const Frame& frame, size_t image) const {
    return frame.out<std::byte>(writes[0]) +
           image * (row_shape.out_image_bytes() / y_pixels.bytes * y_pixels.stride);
  }
};

}  // namespace hone::cpu
