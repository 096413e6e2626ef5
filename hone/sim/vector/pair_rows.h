// Sums and products of two operands, row by row through a kernel of the cpu target. An operand may
// be broadcast by strides of 0, or have a single channel for all.
#pragma once

#include "hone/kernels/binary/binary.h"
#include "hone/sim/vector/vector_views.h"

namespace hone::sim {

// Args is AddI8Args or MulI8Args with its numbers set; run_kernel(args) computes a row.
template <class T, class Args, class RunKernel>
void run_rows(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
              Args args, RunKernel run_kernel) {
  args.a_zero = command.a_zero;
  args.b_zero = command.b_zero;
  args.y_zero = command.stage.zero_point;
  args.rounding = command.stage.rounding;
  args.low = command.stage.low;
  args.high = command.stage.high;
  const auto [output, a, b] = joined<3>({command.output, command.a, command.b});
  args.rows = size_of(output.width);
  args.cols = size_of(output.channels);
  const size_t channels = args.cols;
  args.y_stride = channels;
  const auto operand = [channels](const View& view, const std::byte* at, int64_t row) {
    return BinaryOperand<T>{as<T>(at) + row * view.row_stride, size_of(view.pixel_stride),
                            channels > 1 && view.channels == 1 ? size_t{0} : size_t{1}};
  };
  const bool direct = dense_pixels(output);
  std::byte* memory = direct ? nullptr : scratch.reserve(args.rows * args.cols);
  for (int64_t y = 0; y < output.height; ++y) {
    std::byte* to = operands.output + y * output.row_stride;
    args.a = operand(a, operands.a, y);
    args.b = operand(b, operands.b, y);
    args.y = as<T>(direct ? to : memory);
    run_kernel(args);
    if (direct) continue;
    View row = output;
    row.height = 1;
    scatter(row, memory, to);
  }
}

}  // namespace hone::sim
