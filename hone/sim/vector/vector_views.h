// What operations of the vector engine share: how operands are walked.
#pragma once

#include <algorithm>
#include <array>

#include "hone/sim/dense_view.h"
#include "hone/sim/vector_op.h"

namespace hone::sim {

template <class A>
const A* as(const std::byte* bytes) {
  return reinterpret_cast<const A*>(bytes);
}
template <class A>
A* as(std::byte* bytes) {
  return reinterpret_cast<A*>(bytes);
}

// Calls run(T()) with the type of the command's activations.
template <class Run>
void by_sign(const VectorCommand& command, Run run) {
  if (command.is_signed) return run(int8_t{});
  run(uint8_t{});
}

// Views of one shape with as few rows and pixels as their strides allow, so that kernels get long
// rows. An operand of one channel stays one of pixels.
template <size_t kViews>
std::array<View, kViews> joined(std::array<View, kViews> views) {
  if (std::ranges::all_of(views, one_row)) {
    for (View& view : views) {
      view.width *= view.height;
      view.height = 1;
    }
  }
  const int64_t channels = views[0].channels;
  const auto joins = [&](const View& view) {
    return view.channels == channels && dense_pixels(view);
  };
  if (std::ranges::all_of(views, joins)) {
    for (View& view : views) {
      view.channels *= view.width;
      view.width = 1;
    }
  }
  return views;
}

// Calls visit(from, to, bytes) for runs that lie without gaps in both views.
template <class Visit>
void for_each_pair(const VectorCommand& command, const VectorOperands& operands, Visit visit) {
  const auto [output, a] = joined<2>({command.output, command.a});
  for (int64_t y = 0; y < output.height; ++y) {
    const std::byte* from = operands.a + y * a.row_stride;
    std::byte* to = operands.output + y * output.row_stride;
    for (int64_t x = 0; x < output.width; ++x) {
      visit(from, to, size_of(output.channels));
      from += a.pixel_stride;
      to += output.pixel_stride;
    }
  }
}

}  // namespace hone::sim
