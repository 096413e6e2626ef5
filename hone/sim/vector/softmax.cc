#include <bit>
#include <limits>

#include "hone/sim/vector/vector_views.h"
#include "hone/sim/view_checks.h"
#include "hone/tensor/fixed_functions.h"

namespace hone::sim {
namespace {

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
void run_softmax_as(const VectorCommand& command, const VectorOperands& operands) {
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

void run_softmax(const VectorCommand& command, const VectorOperands& operands, Scratch&) {
  by_sign(command, [&]<class T>(T) { run_softmax_as<T>(command, operands); });
}

int64_t constant_bytes_softmax(const VectorCommand&) {
  return 2 * 256 * 4;
}

}  // namespace

extern const VectorOpDef vector_op_softmax = {
    .name = "softmax",
    .summary =
        "Along channels; constants are 256 int32 exponentials and 256 int32 terms of their sum, by "
        "how far a value lies below the largest.",
    .run = run_softmax,
    .check = check_alike,
    .constant_bytes = constant_bytes_softmax,
    .cost = 4,  // Maximum, exponential, sum, scaling.
};

}  // namespace hone::sim
