#include "hone/sim/vector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "hone/base/check.h"
#include "hone/kernels/add_i8/add_i8.h"
#include "hone/kernels/lut_i8/lut_i8.h"
#include "hone/kernels/mul_i8/mul_i8.h"
#include "hone/kernels/pool/pool.h"
#include "hone/sim/dense_view.h"
#include "hone/tensor/fixed_functions.h"

namespace hone::sim {
namespace {

template <class A>
const A* as(const std::byte* bytes) {
  return reinterpret_cast<const A*>(bytes);
}
template <class A>
A* as(std::byte* bytes) {
  return reinterpret_cast<A*>(bytes);
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

template <class T>
void run_kernel(const AddI8Args<T>& args) {
  if constexpr (std::is_signed_v<T>) {
    static const auto run = best_variant(add_i8_variants()).run;
    run(args);
  } else {
    static const auto run = best_variant(add_u8_variants()).run;
    run(args);
  }
}
template <class T>
void run_kernel(const MulI8Args<T>& args) {
  if constexpr (std::is_signed_v<T>) {
    static const auto run = best_variant(mul_i8_variants()).run;
    run(args);
  } else {
    static const auto run = best_variant(mul_u8_variants()).run;
    run(args);
  }
}

// Args is AddI8Args or MulI8Args with its numbers set.
template <class T, class Args>
void run_rows(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
              Args args) {
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

template <class T>
void run_add(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch) {
  AddI8Args<T> args{};
  args.subtract = command.op == VectorOp::Sub;
  args.a_factor = command.factors[0];
  args.b_factor = command.factors[1];
  args.y_factor = command.factors[2];
  run_rows<T>(command, operands, scratch, args);
}

template <class T>
void run_mul(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch) {
  MulI8Args<T> args{};
  args.factor = command.factors[2];
  run_rows<T>(command, operands, scratch, args);
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

void run_table(const VectorCommand& command, const VectorOperands& operands) {
  static const LutI8 look_up = best_variant(lut_i8_variants()).run;
  const auto* table = as<uint8_t>(operands.constants);
  for_each_pair(command, operands, [&](const std::byte* from, std::byte* to, size_t bytes) {
    look_up(bytes, table, as<uint8_t>(from), as<uint8_t>(to));
  });
}

void run_copy(const VectorCommand& command, const VectorOperands& operands) {
  for_each_pair(command, operands, [](const std::byte* from, std::byte* to, size_t bytes) {
    std::memcpy(to, from, bytes);
  });
}

template <class T>
void run_pool(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch) {
  static const Pool<T> pool = best_variant(pool_variants<T>()).run;
  View a = command.a;
  Window window = command.window;
  cut_unread(a, window);
  const std::byte* x = operands.a + (a.at.offset - command.a.at.offset);
  const View& output = command.output;
  const size_t in = dense(a) ? 0 : aligned_size(size_of(a.elements()));
  const size_t out = dense(output) ? 0 : size_of(output.elements());
  std::byte* memory = scratch.reserve(in + out);
  if (in > 0) gather(a, x, memory);
  std::byte* y = out > 0 ? memory + in : operands.output;
  const auto axis = [](int64_t from, int64_t to, int64_t kernel, int64_t stride, int64_t dilation,
                       int64_t pad) {
    return PoolAxis{.in = size_of(from),
                    .out = size_of(to),
                    .kernel = size_of(kernel),
                    .stride = size_of(stride),
                    .dilation = size_of(dilation),
                    .pad_begin = size_of(pad)};
  };
  pool({.average = command.op == VectorOp::AveragePool,
        .count_pad = false,
        .height = axis(a.height, output.height, window.kernel_h, window.stride_h, window.dilation_h,
                       window.pad_top),
        .width = axis(a.width, output.width, window.kernel_w, window.stride_w, window.dilation_w,
                      window.pad_left),
        .channels = size_of(output.channels),
        .x = as<T>(in > 0 ? memory : x),
        .y = as<T>(y),
        .low = static_cast<float>(command.stage.low),
        .high = static_cast<float>(command.stage.high),
        .zero = static_cast<T>(command.a_zero)},
       0, size_of(output.height));
  if (out > 0) scatter(output, y, operands.output);
}

template <class T>
void run_mean(const VectorCommand& command, const VectorOperands& operands) {
  constexpr int64_t kBlock = 16;
  const View& a = command.a;
  const OutputStage& stage = command.stage;
  const auto offset =
      static_cast<uint32_t>(a.height * a.width) * static_cast<uint32_t>(command.a_zero);
  for (int64_t first = 0; first < a.channels; first += kBlock) {
    const int64_t count = std::min(kBlock, a.channels - first);
    uint32_t sums[kBlock] = {};
    for (int64_t y = 0; y < a.height; ++y) {
      const T* from = as<T>(operands.a) + y * a.row_stride + first;
      for (int64_t x = 0; x < a.width; ++x, from += a.pixel_stride) {
        for (int64_t c = 0; c < count; ++c) sums[c] += static_cast<uint32_t>(from[c]);
      }
    }
    for (int64_t c = 0; c < count; ++c) {
      const int64_t scaled =
          scale_by(static_cast<int32_t>(sums[c] - offset), command.factors[2], stage.rounding);
      as<T>(operands.output)[first + c] =
          static_cast<T>(std::clamp<int64_t>(scaled + stage.zero_point, stage.low, stage.high));
    }
  }
}

// A row as TFLite has it: the exponentials of 0 integer bits, their sum with 12.
template <class T>
void softmax_row(size_t cols, const int32_t* exponentials, const int32_t* terms, const T* x, T* y) {
  constexpr int kSumBits = 12;
  constexpr int kLow = std::numeric_limits<T>::min();
  constexpr int kHigh = std::numeric_limits<T>::max();
  const T largest = *std::max_element(x, x + cols);
  const auto below = [&](size_t i) { return static_cast<size_t>(largest - x[i]); };
  uint32_t sum = 0;
  for (size_t i = 0; i < cols; ++i) sum += static_cast<uint32_t>(terms[below(i)]);
  const int headroom = std::countl_zero(sum);
  const auto above_one =
      static_cast<int32_t>((headroom == 32 ? 0 : sum << headroom) - (uint32_t{1} << 31));
  const int32_t reciprocal = fixed_one_over_one_plus(above_one);
  const int shift = kSumBits - headroom + 31 - 8;
  for (size_t i = 0; i < cols; ++i) {
    const int32_t value = rounding_divide_by_pot(
        saturating_rounding_doubling_high_mul(reciprocal, exponentials[below(i)]), shift);
    y[i] = static_cast<T>(std::clamp<int64_t>(int64_t{value} + kLow, kLow, kHigh));
  }
}

template <class T>
void run_softmax(const VectorCommand& command, const VectorOperands& operands) {
  std::array<int32_t, 512> tables;
  std::memcpy(tables.data(), operands.constants, sizeof(tables));
  const View& a = command.a;
  const View& output = command.output;
  for (int64_t y = 0; y < output.height; ++y) {
    for (int64_t x = 0; x < output.width; ++x) {
      softmax_row<T>(size_of(output.channels), tables.data(), tables.data() + 256,
                     as<T>(operands.a) + y * a.row_stride + x * a.pixel_stride,
                     as<T>(operands.output) + y * output.row_stride + x * output.pixel_stride);
    }
  }
}

void run_resize(const VectorCommand& command, const VectorOperands& operands) {
  const View& a = command.a;
  const View& output = command.output;
  const auto index = [&](int64_t i, int64_t limit) {
    int32_t value = 0;
    std::memcpy(&value, operands.constants + 4 * i, sizeof(value));
    HONE_CHECK(value >= 0 && value < limit, "resize reads pixel ", value, " of ", limit);
    return int64_t{value};
  };
  for (int64_t y = 0; y < output.height; ++y) {
    const std::byte* row = operands.a + index(y, a.height) * a.row_stride;
    for (int64_t x = 0; x < output.width; ++x) {
      std::memcpy(operands.output + y * output.row_stride + x * output.pixel_stride,
                  row + index(output.height + x, a.width) * a.pixel_stride,
                  size_of(output.channels));
    }
  }
}

template <class T>
void run_as(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch) {
  switch (command.op) {
    case VectorOp::Add:
    case VectorOp::Sub:
      return run_add<T>(command, operands, scratch);
    case VectorOp::Mul:
      return run_mul<T>(command, operands, scratch);
    case VectorOp::Table:
      return run_table(command, operands);
    case VectorOp::MaxPool:
    case VectorOp::AveragePool:
      return run_pool<T>(command, operands, scratch);
    case VectorOp::Mean:
      return run_mean<T>(command, operands);
    case VectorOp::Softmax:
      return run_softmax<T>(command, operands);
    case VectorOp::Copy:
      return run_copy(command, operands);
    case VectorOp::Resize:
      return run_resize(command, operands);
  }
}

}  // namespace

void run_vector(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch) {
  if (command.is_signed) return run_as<int8_t>(command, operands, scratch);
  run_as<uint8_t>(command, operands, scratch);
}

}  // namespace hone::sim
