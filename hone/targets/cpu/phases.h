// A transposed convolution as ordinary ones. Output pixels that lie a stride apart read their
// inputs through the same taps, so each such phase is a convolution of stride 1: every output is
// written once, and there is nothing to scatter or add up. With a kernel as wide as the stride
// every phase is a plain matrix product.
#pragma once

#include <vector>

#include "hone/ops/conv/geometry.h"

namespace hone::cpu {

// Along one axis, the output pixels first, first + stride, ...; or, joined, `count` phases as one
// convolution whose pixels are `count` neighbours each.
struct Phase {
  int64_t first;
  int64_t count;
  WindowAxis window;          // Of the ordinary convolution.
  std::vector<int64_t> taps;  // [count][window.kernel]: the tap of the kernel, or -1 for none.

  int64_t tap(int64_t phase, int64_t k) const {
    return taps[static_cast<size_t>(phase * window.kernel + k)];
  }
};

// All phases of a transposed convolution's axis: one by one, or joined.
std::vector<Phase> phases_of(const WindowAxis& axis, bool join);
// Whether they can be joined: the axis is not dilated, and every phase has as many pixels.
bool can_join(const WindowAxis& axis);
// Whether they read the same inputs, so that joining costs no products with zero.
bool alike(const WindowAxis& axis);

}  // namespace hone::cpu
