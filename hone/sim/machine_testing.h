// The plain definitions of command.h, by loops over single values: what the machine is held to.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "hone/base/check.h"
#include "hone/sim/machine.h"
#include "hone/sim/sim_testing.h"
#include "hone/tensor/fixed_functions.h"

namespace hone::sim {

// One space of bytes, and values in it.
class PlainMemory {
 public:
  explicit PlainMemory(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  const std::vector<std::byte>& bytes() const { return bytes_; }
  int value(uint64_t offset, bool is_signed) const {
    const auto byte = static_cast<uint8_t>(bytes_[offset]);
    return is_signed ? static_cast<int8_t>(byte) : byte;
  }
  int32_t word(uint64_t offset) const {
    int32_t word = 0;
    std::memcpy(&word, &bytes_[offset], sizeof(word));
    return word;
  }
  void set(uint64_t offset, int64_t value) { bytes_[offset] = static_cast<std::byte>(value); }

 private:
  std::vector<std::byte> bytes_;
};

inline uint64_t place(const View& view, int64_t y, int64_t x, int64_t c) {
  return view.at.offset + static_cast<uint64_t>(y * view.row_stride + x * view.pixel_stride + c);
}

inline int64_t staged(int64_t value, const OutputStage& stage) {
  return std::clamp<int64_t>(value + stage.zero_point, stage.low, stage.high);
}

// Calls visit(y, x) for the pixels of the input under the window of an output pixel, and the tap.
template <class Visit>
void for_each_tap(const Window2d& window, const View& input, int64_t oy, int64_t ox, Visit visit) {
  for (int64_t ky = 0; ky < window.kernel_h; ++ky) {
    for (int64_t kx = 0; kx < window.kernel_w; ++kx) {
      const int64_t y = oy * window.stride_h + ky * window.dilation_h - window.pad_top;
      const int64_t x = ox * window.stride_w + kx * window.dilation_w - window.pad_left;
      const bool inside = y >= 0 && y < input.height && x >= 0 && x < input.width;
      if (inside) visit(y, x, ky * window.kernel_w + kx);
    }
  }
}

template <class Visit>
void for_each_output(const View& output, Visit visit) {
  for (int64_t y = 0; y < output.height; ++y) {
    for (int64_t x = 0; x < output.width; ++x) {
      for (int64_t c = 0; c < output.channels; ++c) visit(y, x, c);
    }
  }
}

inline void plain_product(const Product& p, PlainMemory& memory) {
  const int64_t taps = p.window.taps(), channels = p.output.channels;
  const uint64_t constants =
      p.weights.offset + static_cast<uint64_t>(constants_offset(channels, taps * p.depth()));
  const auto constant = [&](int64_t kind, int64_t channel) {
    return memory.word(constants + 4 * static_cast<uint64_t>(kind * channels + channel));
  };
  for_each_output(p.output, [&](int64_t oy, int64_t ox, int64_t o) {
    auto sum = static_cast<uint32_t>(constant(0, o));
    for_each_tap(p.window, p.input, oy, ox, [&](int64_t y, int64_t x, int64_t tap) {
      for (int64_t k = 0; k < p.depth(); ++k) {
        const int64_t at = p.depthwise ? tap * channels + o : (o * taps + tap) * p.depth() + k;
        const int w = memory.value(p.weights.offset + static_cast<uint64_t>(at), p.signed_weights);
        const int v = memory.value(place(p.input, y, x, p.depthwise ? o : k), p.is_signed);
        sum += static_cast<uint32_t>((v - p.input_zero) * (w - p.weight_zero));
      }
    });
    const FixedPoint factor = {constant(1, o), constant(2, o)};
    memory.set(place(p.output, oy, ox, o),
               staged(scale_by(static_cast<int32_t>(sum), factor, p.stage.rounding), p.stage));
  });
}

inline int64_t plain_pool(const VectorCommand& v, const PlainMemory& memory, int64_t oy, int64_t ox,
                          int64_t c) {
  int64_t sum = 0, count = 0, largest = -1000;
  for_each_tap(v.window, v.a, oy, ox, [&](int64_t y, int64_t x, int64_t) {
    const int value = memory.value(place(v.a, y, x, c), v.is_signed);
    sum += value;
    largest = std::max<int64_t>(largest, value);
    ++count;
  });
  if (v.op == &vector_op_max_pool) return std::clamp<int64_t>(largest, v.stage.low, v.stage.high);
  const int64_t mean = sum >= 0 ? (sum + count / 2) / count : -((-sum + count / 2) / count);
  return std::clamp<int64_t>(mean, v.stage.low, v.stage.high);
}

inline int64_t plain_softmax(const VectorCommand& v, const PlainMemory& memory, int64_t y,
                             int64_t x, int64_t c) {
  const auto value = [&](int64_t i) { return memory.value(place(v.a, y, x, i), v.is_signed); };
  int largest = value(0);
  for (int64_t i = 1; i < v.a.channels; ++i) largest = std::max(largest, value(i));
  const auto entry = [&](int64_t table, int64_t i) {
    const auto below = static_cast<uint64_t>(256 * table + largest - value(i));
    return memory.word(v.constants.offset + 4 * below);
  };
  uint32_t sum = 0;
  for (int64_t i = 0; i < v.a.channels; ++i) sum += static_cast<uint32_t>(entry(1, i));
  const int headroom = std::countl_zero(sum);
  const int32_t reciprocal =
      fixed_one_over_one_plus(static_cast<int32_t>((sum << headroom) - (uint32_t{1} << 31)));
  const int32_t scaled = rounding_divide_by_pot(
      saturating_rounding_doubling_high_mul(reciprocal, entry(0, c)), 12 - headroom + 31 - 8);
  return std::clamp(scaled + (v.is_signed ? -128 : 0), v.is_signed ? -128 : 0,
                    v.is_signed ? 127 : 255);
}

inline int64_t plain_operand(const VectorCommand& v, const View& view, const PlainMemory& memory,
                             int64_t y, int64_t x, int64_t c) {
  return memory.value(place(view, y, x, view.channels == 1 ? 0 : c), v.is_signed);
}

inline int64_t plain_sum(const VectorCommand& v, const PlainMemory& memory, int64_t y, int64_t x,
                         int64_t c) {
  const auto scaled = [&](const View& view, int32_t zero, FixedPoint factor) {
    const auto value = static_cast<int32_t>(plain_operand(v, view, memory, y, x, c));
    return scale_by((value - zero) * (1 << 20), factor, v.stage.rounding);
  };
  const int32_t a = scaled(v.a, v.a_zero, v.factors[0]);
  const int32_t b = scaled(v.b, v.b_zero, v.factors[1]);
  const int32_t sum = v.op == &vector_op_add ? a + b : a - b;
  return staged(scale_by(sum, v.factors[2], v.stage.rounding), v.stage);
}

inline int64_t plain_mul(const VectorCommand& v, const PlainMemory& memory, int64_t y, int64_t x,
                         int64_t c) {
  const int64_t product = (plain_operand(v, v.a, memory, y, x, c) - v.a_zero) *
                          (plain_operand(v, v.b, memory, y, x, c) - v.b_zero);
  return staged(scale_by(static_cast<int32_t>(product), v.factors[2], v.stage.rounding), v.stage);
}

inline int64_t plain_table(const VectorCommand& v, const PlainMemory& memory, int64_t y, int64_t x,
                           int64_t c) {
  const auto index = static_cast<uint8_t>(plain_operand(v, v.a, memory, y, x, c));
  return memory.value(v.constants.offset + index, true);
}

inline int64_t plain_mean(const VectorCommand& v, const PlainMemory& memory, int64_t, int64_t,
                          int64_t c) {
  int64_t sum = 0;
  for_each_output(v.a, [&](int64_t y, int64_t x, int64_t channel) {
    if (channel == c) sum += memory.value(place(v.a, y, x, c), v.is_signed) - v.a_zero;
  });
  return staged(scale_by(static_cast<int32_t>(sum), v.factors[2], v.stage.rounding), v.stage);
}

inline int64_t plain_copy(const VectorCommand& v, const PlainMemory& memory, int64_t y, int64_t x,
                          int64_t c) {
  return plain_operand(v, v.a, memory, y, x, c);
}

inline int64_t plain_resize(const VectorCommand& v, const PlainMemory& memory, int64_t y, int64_t x,
                            int64_t c) {
  const auto index = [&](int64_t i) {
    return memory.word(v.constants.offset + 4 * static_cast<uint64_t>(i));
  };
  return memory.value(place(v.a, index(y), index(v.output.height + x), c), v.is_signed);
}

// The value of one output element, by operation.
struct PlainOp {
  const VectorOpDef* op;
  int64_t (*value)(const VectorCommand& v, const PlainMemory& memory, int64_t y, int64_t x,
                   int64_t c);
};
inline const PlainOp kPlainOps[] = {
    {&vector_op_add, plain_sum},       {&vector_op_sub, plain_sum},
    {&vector_op_mul, plain_mul},       {&vector_op_table, plain_table},
    {&vector_op_max_pool, plain_pool}, {&vector_op_average_pool, plain_pool},
    {&vector_op_mean, plain_mean},     {&vector_op_softmax, plain_softmax},
    {&vector_op_copy, plain_copy},     {&vector_op_resize, plain_resize},
};

inline void plain_vector(const VectorCommand& v, PlainMemory& memory) {
  const PlainMemory before = memory;
  const auto* plain = std::ranges::find(kPlainOps, v.op, &PlainOp::op);
  HONE_CHECK(plain != std::end(kPlainOps), "no plain definition of ", v.op->name);
  for_each_output(v.output, [&](int64_t y, int64_t x, int64_t c) {
    memory.set(place(v.output, y, x, c), plain->value(v, before, y, x, c));
  });
}

}  // namespace hone::sim
